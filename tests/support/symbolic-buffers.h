// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nadi::symbolic
{

/// How often each contributor's token is in one element.
using TokenCounts = std::span<uint8_t>;
using ConstTokenCounts = std::span<const uint8_t>;

/// Buffers of a group whose elements hold tokens instead of numbers.
///
/// A token is (contributor, element). Messages and local work move elements to other places, but
/// nothing may reduce two different elements into one; so a place holds tokens of one element,
/// which it names, and counts per contributor say the rest.
class Buffers
{
  public:
    struct Shape
    {
        uint32_t ranks = 1;
        uint32_t rows = 1; ///< 1, in an all-to-all one for each rank
        uint64_t elements = 0;
        uint32_t contributors = 1;
    };

    explicit Buffers(const Shape& shape)
        : m_shape(shape)
        , m_counts(size_t{shape.ranks} * shape.rows * shape.elements * shape.contributors)
    {
        for (uint64_t row = 0; row < uint64_t{shape.ranks} * shape.rows; ++row)
        {
            for (uint64_t element = 0; element < shape.elements; ++element)
            {
                m_held.push_back(element);
            }
        }
    }

    const Shape& GetShape() const
    {
        return m_shape;
    }

    TokenCounts At(uint32_t rank, uint32_t row, uint64_t element)
    {
        return {m_counts.data() + OffsetOf(rank, row, element), m_shape.contributors};
    }

    ConstTokenCounts At(uint32_t rank, uint32_t row, uint64_t element) const
    {
        return {m_counts.data() + OffsetOf(rank, row, element), m_shape.contributors};
    }

    /// Which element the tokens at a place are of; at first its own.
    uint64_t& HeldAt(uint32_t rank, uint32_t row, uint64_t element)
    {
        return m_held[PlaceOf(rank, row, element)];
    }

    uint64_t HeldAt(uint32_t rank, uint32_t row, uint64_t element) const
    {
        return m_held[PlaceOf(rank, row, element)];
    }

    /// Every element of every rank holds that rank's own token, once. What a rank has no part in
    /// so holds garbage that a correct plan overwrites. Helpers, which come after the ranks and
    /// contribute nothing, are empty.
    void FillWithOwnTokens()
    {
        for (uint32_t rank = 0; rank < m_shape.contributors; ++rank)
        {
            for (uint64_t cell = 0; cell < m_shape.rows * m_shape.elements; ++cell)
            {
                At(rank, 0, cell)[rank] = 1;
            }
        }
    }

  private:
    size_t PlaceOf(uint32_t rank, uint32_t row, uint64_t element) const
    {
        return (uint64_t{rank} * m_shape.rows + row) * m_shape.elements + element;
    }

    size_t OffsetOf(uint32_t rank, uint32_t row, uint64_t element) const
    {
        return PlaceOf(rank, row, element) * m_shape.contributors;
    }

    Shape m_shape;
    std::vector<uint8_t> m_counts;
    std::vector<uint64_t> m_held;
};

} // namespace nadi::symbolic
