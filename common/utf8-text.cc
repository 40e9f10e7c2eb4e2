// SPDX-License-Identifier: GPL-2.0-only
#include "common/utf8-text.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace nadi
{

namespace
{

/// How many bytes the code point has that begins with `first`; 0 where none does.
size_t
LengthFrom(uint8_t first)
{
    if (first < 0x80)
    {
        return 1;
    }
    // 0x80 to 0xbf continue a code point. 0xf8 and above would begin one of more than four bytes.
    if (first < 0xc0 || first > 0xf7)
    {
        return 0;
    }
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

bool
IsCodePoint(uint32_t point, size_t length)
{
    constexpr std::array<uint32_t, 5> SMALLEST{0, 0, 0x80, 0x800, 0x10000}; // by length
    const bool isSurrogate = point >= 0xd800 && point <= 0xdfff;
    return point >= SMALLEST[length] && point <= 0x10ffff && !isSurrogate;
}

/// Requires: `bytes` are as many as its first one says.
bool
IsCodePoint(std::string_view bytes)
{
    const size_t length = bytes.size();
    const auto first = static_cast<uint8_t>(bytes.front());
    // The first of n > 1 bytes has n ones and a zero above its part of the code point. Each other
    // one has six bits of it, below the bits 10.
    uint32_t point = length == 1 ? first : first & (0x7fU >> length);
    for (const char byte : bytes.substr(1))
    {
        if (!ContinuesCodePoint(byte))
        {
            return false;
        }
        point = point << 6 | (static_cast<uint8_t>(byte) & 0x3f);
    }
    return IsCodePoint(point, length);
}

/// As nearly all text is. By words of eight bytes, since each node of a trace has a name.
bool
IsAscii(std::string_view bytes)
{
    uint64_t seen = 0;
    uint64_t word = 0;
    size_t at = 0;
    for (; at + sizeof(word) <= bytes.size(); at += sizeof(word))
    {
        std::memcpy(&word, bytes.data() + at, sizeof(word));
        seen |= word;
    }
    if (at > 0)
    {
        // The rest, with some that were seen before.
        std::memcpy(&word, bytes.data() + bytes.size() - sizeof(word), sizeof(word));
        return ((seen | word) & 0x8080808080808080) == 0;
    }
    for (; at < bytes.size(); ++at)
    {
        seen |= static_cast<uint8_t>(bytes[at]);
    }
    return (seen & 0x8080808080808080) == 0;
}

} // namespace

bool
IsUtf8(std::string_view bytes)
{
    if (IsAscii(bytes))
    {
        return true;
    }
    while (!bytes.empty())
    {
        const size_t length = LengthFrom(static_cast<uint8_t>(bytes.front()));
        if (length == 0 || length > bytes.size() || !IsCodePoint(bytes.substr(0, length)))
        {
            return false;
        }
        bytes.remove_prefix(length);
    }
    return true;
}

} // namespace nadi
