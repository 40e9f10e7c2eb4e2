// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <string_view>

namespace nadi
{

/// Throws WireError, at the bytes, unless they are UTF-8.
void RequireUtf8(std::string_view bytes);

/// The bytes as a text that schema 1.0.0 can hold. Throws as RequireUtf8 does.
std::string MakeUtf8(std::string_view bytes);

} // namespace nadi
