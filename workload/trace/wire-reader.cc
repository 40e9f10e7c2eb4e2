// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/wire-reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace nadi
{

double
WireField::AsDouble() const
{
    return std::bit_cast<double>(value);
}

float
WireField::AsFloat() const
{
    return std::bit_cast<float>(static_cast<uint32_t>(value));
}

bool
WireReader::Next(WireField& field)
{
    if (IsAtEnd())
    {
        return false;
    }
    const char* const start = m_at;
    const uint64_t key = ReadVarint();
    // A field begins with its number and its type in one varint, the type in the lowest three bits:
    // 0x0a is field 1, of bytes.
    const uint64_t number = key >> 3;
    if (number == 0 || number >= (1U << 29))
    {
        throw WireError(start, fmt::format("{} is not a field number", number));
    }
    field.number = static_cast<uint32_t>(number);
    switch (key & 7)
    {
    case 0:
        field.type = WireType::Varint;
        field.value = ReadVarint();
        return true;
    case 1:
        field.type = WireType::Fixed64;
        field.value = ReadFixed(8);
        return true;
    case 2:
        field.type = WireType::Bytes;
        field.bytes = ReadBytes(ReadVarint());
        return true;
    case 5:
        field.type = WireType::Fixed32;
        field.value = ReadFixed(4);
        return true;
    default:
        // 3 and 4 begin and end groups of proto2, which no schema of Chakra has.
        throw WireError(start, fmt::format("{} is not a wire type", key & 7));
    }
}

uint64_t
WireReader::ReadLongVarint()
{
    const char* const start = m_at;
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7)
    {
        if (IsAtEnd())
        {
            throw WireError(start, "a number is cut off");
        }
        // Seven bits in a byte, the lowest first; the eighth says that more follow: 0xac 0x02 is
        // 0x2c + (2 << 7) = 300.
        const auto byte = static_cast<unsigned char>(*m_at++);
        value |= static_cast<uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80)
        {
            return value;
        }
    }
    throw WireError(start, "a number is longer than 10 bytes");
}

uint64_t
WireReader::ReadFixed(uint32_t bytes)
{
    const std::string_view digits = ReadBytes(bytes);
    uint64_t value = 0;
    // The lowest byte comes first, whatever the machine's own order is.
    for (uint32_t byte = 0; byte < bytes; ++byte)
    {
        value |= static_cast<uint64_t>(static_cast<unsigned char>(digits[byte])) << (8 * byte);
    }
    return value;
}

std::string_view
WireReader::ReadBytes(uint64_t count)
{
    const auto left = static_cast<uint64_t>(m_end - m_at);
    if (count > left)
    {
        throw WireError(m_at, fmt::format("{} bytes should follow, but {} do", count, left));
    }
    const std::string_view bytes(m_at, count);
    m_at += count;
    return bytes;
}

void
AppendVarints(const WireField& field, std::vector<uint64_t>& numbers)
{
    // A repeated field of numbers comes as one field for each, or packed: all of them in one field
    // of bytes. Writers may mix both.
    if (field.type == WireType::Varint)
    {
        numbers.push_back(field.value);
    }
    if (field.type != WireType::Bytes)
    {
        return;
    }
    WireReader packed(field.bytes);
    while (!packed.IsAtEnd())
    {
        numbers.push_back(packed.ReadVarint());
    }
}

bool
HasFalse(const WireField& field)
{
    std::vector<uint64_t> numbers;
    AppendVarints(field, numbers);
    return std::ranges::find(numbers, uint64_t{0}) != numbers.end();
}

} // namespace nadi
