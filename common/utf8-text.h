// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string_view>

namespace nadi
{

/// Whether the bytes are text in UTF-8: no code point past U+10FFFF, no half of a surrogate pair,
/// none written with more bytes than it needs.
bool IsUtf8(std::string_view bytes);

} // namespace nadi
