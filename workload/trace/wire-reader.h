// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// Bytes that are not a protobuf message; `at` points into the buffer where that shows.
class WireError : public std::runtime_error
{
  public:
    WireError(const char* at, const std::string& problem)
        : std::runtime_error(problem)
        , m_at(at)
    {
    }

    const char* At() const
    {
        return m_at;
    }

  private:
    const char* m_at;
};

enum class WireType : uint8_t
{
    Varint = 0,
    Fixed64 = 1,
    Bytes = 2,
    Fixed32 = 5,
};

/// One field of a protobuf message.
struct WireField
{
    uint32_t number = 0;
    WireType type = WireType::Varint;
    uint64_t value = 0;     ///< of a varint or fixed field
    std::string_view bytes; ///< of a Bytes field

    bool Is(uint32_t wantedNumber, WireType wantedType) const
    {
        return number == wantedNumber && type == wantedType;
    }

    double AsDouble() const; ///< of a Fixed64
    float AsFloat() const;   ///< of a Fixed32
};

/// Walks the fields of a protobuf message, any of them, in the order of the bytes. The buffer
/// outlives the reader and its fields.
///
/// Not the generated classes of a schema: four generations of it must be read, unknown fields
/// skipped, and errors must name the byte.
class WireReader
{
  public:
    explicit WireReader(std::string_view message)
        : m_at(message.data())
        , m_end(message.data() + message.size())
    {
    }

    /// The next field, or false at the end. Throws WireError where the bytes are no field.
    bool Next(WireField& field);

    /// Throws WireError when the bytes end within it or it is longer than 10 bytes.
    uint64_t ReadVarint();

    bool IsAtEnd() const
    {
        return m_at == m_end;
    }

    const char* At() const
    {
        return m_at;
    }

    /// Throws WireError when fewer than `count` bytes are left.
    std::string_view ReadBytes(uint64_t count);

  private:
    uint64_t ReadLongVarint();
    uint64_t ReadFixed(uint32_t bytes);

    const char* m_at;
    const char* m_end;
};

inline uint64_t
WireReader::ReadVarint()
{
    if (m_at != m_end && static_cast<signed char>(*m_at) >= 0)
    {
        return static_cast<unsigned char>(*m_at++);
    }
    return ReadLongVarint();
}

/// Appends the numbers of a repeated varint field, packed or not; other types add nothing.
void AppendVarints(const WireField& field, std::vector<uint64_t>& numbers);

/// Whether one of the numbers of such a field is 0, which is false.
bool HasFalse(const WireField& field);

/// The varint of a zigzag-encoded sint.
constexpr int64_t
FromZigZag(uint64_t value)
{
    return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

} // namespace nadi
