// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nadi::synthesis
{

/// Sets of chunks, 64 to a word, one for each of some owners.
class ChunkSets
{
  public:
    ChunkSets(uint32_t owners, uint32_t chunks)
        : m_words((chunks + 63) / 64)
        , m_bits(size_t{owners} * m_words, 0)
    {
    }

    void Add(uint32_t owner, uint32_t chunk)
    {
        m_bits[size_t{owner} * m_words + chunk / 64] |= uint64_t{1} << (chunk % 64);
    }

    bool Has(uint32_t owner, uint32_t chunk) const
    {
        return (m_bits[size_t{owner} * m_words + chunk / 64] >> (chunk % 64) & 1U) != 0;
    }

    std::span<const uint64_t> Of(uint32_t owner) const
    {
        return {m_bits.data() + size_t{owner} * m_words, m_words};
    }

  private:
    size_t m_words;
    std::vector<uint64_t> m_bits;
};

} // namespace nadi::synthesis
