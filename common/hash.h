// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

namespace nadi
{

namespace detail
{

__extension__ using UnsignedWide = unsigned __int128;

} // namespace detail

/// Mixes 64 bits so that each input bit moves half of the output bits (the finaliser of
/// SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
constexpr uint64_t
Mix64(uint64_t x)
{
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

/// A hash of a sequence of numbers; its order matters. The number of words is part of it, so that a
/// sequence and the same one with a 0 added differ.
constexpr uint64_t
Hash64(std::initializer_list<uint64_t> words)
{
    uint64_t state = words.size();
    for (const uint64_t word : words)
    {
        state = Mix64(state ^ word);
    }
    return state;
}

/// An order-free fingerprint of a run: the sum, modulo 2^128, of a hash of each record. Its order
/// is free because records of one instant may come in another order, with trains or when a test
/// runs events in a scrambled order. It is a sum and not an exclusive or, so that a record that
/// comes twice is noticed.
///
/// Holds: equal sets of records give equal digests, in whatever order they are added.
class Digest
{
  public:
    /// Adds the record `words`, whose first word names its kind.
    constexpr void Add(std::initializer_list<uint64_t> words)
    {
        const uint64_t low = Hash64(words);
        m_sum += (detail::UnsignedWide{Mix64(~low)} << 64) | low;
    }

    constexpr void Add(const Digest& other)
    {
        m_sum += other.m_sum;
    }

    /// 32 lower-case hexadecimal digits.
    std::string Hex() const
    {
        std::string text(32, '0');
        detail::UnsignedWide rest = m_sum;
        for (auto digit = text.rbegin(); digit != text.rend(); ++digit, rest >>= 4)
        {
            *digit = "0123456789abcdef"[static_cast<unsigned>(rest & 15U)];
        }
        return text;
    }

    constexpr bool operator==(const Digest&) const = default;

  private:
    detail::UnsignedWide m_sum = 0;
};

} // namespace nadi
