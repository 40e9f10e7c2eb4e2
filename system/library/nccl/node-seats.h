// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/rank-placement.h"

#include <compare>
#include <cstdint>
#include <utility>

namespace nadi::nccl
{

/// Where an NPU stands: in which node of the network, and in what place there.
struct NodeSeat
{
    uint32_t node = 0;
    uint32_t place = 0;

    auto operator<=>(const NodeSeat&) const = default;
};

/// The seats of all ranks in the nodes of a network.
class NodeSeats
{
  public:
    /// `placement` says which NPU hosts which rank.
    explicit NodeSeats(uint32_t npusPerNode, RankPlacement placement = {})
        : m_npusPerNode(npusPerNode)
        , m_placement(std::move(placement))
    {
    }

    NodeSeat SeatOf(RankId rank) const
    {
        const uint32_t npu = m_placement.PlaceOf(rank);
        return {.node = npu / m_npusPerNode, .place = npu % m_npusPerNode};
    }

    /// Of the NPUs that host two ranks.
    bool ShareNode(VertexId a, VertexId b) const
    {
        return SeatOf(RankId{a.value}).node == SeatOf(RankId{b.value}).node;
    }

  private:
    uint32_t m_npusPerNode;
    RankPlacement m_placement;
};

} // namespace nadi::nccl
