// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/component.h"
#include "common/units.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// What a message waits for on each link after its first, where frames are stored: the time of a
/// frame of its payload, and never more than that of a full one.
struct Forwarding
{
    Bytes payload; ///< of a full frame
    SimTime time;  ///< of a full frame
};

/// One dimension of a stack: `size` NPUs along it, joined in a registered shape.
struct Dimension
{
    ComponentChoice shape; ///< of the Shape registry; of a logical stack ROUTES (shape.h)
    uint32_t size = 1;
    Bandwidth bandwidth;        ///< of one link in one direction
    SimTime latency;            ///< of one link
    Forwarding forwarding = {}; ///< of a logical stack, whose dimensions schedules count with
};

/// Mixed-radix addresses of ranks in a stack of dimensions, dimension 0 least significant. With
/// sizes [4, 2], rank 6 = 2 * 1 + 1 * 4 has the coordinates (2, 1).
///
/// Holds: rank = sum of coordinate[d] * stride[d], with stride[0] = 1.
class RankGrid
{
  public:
    explicit RankGrid(std::vector<uint32_t> sizes);

    uint32_t DimensionCount() const
    {
        return static_cast<uint32_t>(m_sizes.size());
    }

    uint32_t Size(uint32_t dimension) const
    {
        return m_sizes[dimension];
    }

    uint32_t Stride(uint32_t dimension) const
    {
        return m_strides[dimension];
    }

    uint32_t RankCount() const
    {
        return m_rankCount;
    }

    uint32_t Coordinate(uint32_t rank, uint32_t dimension) const
    {
        return rank / m_strides[dimension] % m_sizes[dimension];
    }

    /// `rank` with its coordinate along `dimension` replaced.
    uint32_t WithCoordinate(uint32_t rank, uint32_t dimension, uint32_t coordinate) const
    {
        return rank + (coordinate - Coordinate(rank, dimension)) * m_strides[dimension];
    }

  private:
    std::vector<uint32_t> m_sizes;
    std::vector<uint32_t> m_strides;
    uint32_t m_rankCount = 1;
};

/// That of a stack's dimensions.
RankGrid MakeGrid(const std::vector<Dimension>& stack);

} // namespace nadi
