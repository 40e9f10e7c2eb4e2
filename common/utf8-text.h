// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string_view>

namespace nadi
{

/// Whether the bytes are text in UTF-8: no code point past U+10FFFF, no half of a surrogate pair,
/// none written with more bytes than it needs.
bool IsUtf8(std::string_view bytes);

/// Whether a byte of UTF-8 is not the first one of its code point.
inline bool
ContinuesCodePoint(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

} // namespace nadi
