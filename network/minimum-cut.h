// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// The smallest cut between two vertices of a network of capacities, which is the most that can
/// flow from one to the other (Dinic's algorithm, 1970).
///
/// Capacities are integers of 128 bits, so products of rates and counts are exact. The algorithms
/// of Boost.Graph do not know this type without extensions of the compiler. Boykov and
/// Kolmogorov's, the quickest of them that finds all flows of a rail network, needs 11 times as
/// long on 32 nodes of 8 NPUs, and 5 times as long on a mesh of 1024 NPUs.
class MinimumCut
{
  public:
    using Amount = detail::Wide;

    /// Two vertices, joined in both directions.
    struct Joint
    {
        uint32_t first = 0;
        uint32_t second = 0;
        Amount forth = 0; ///< capacity first -> second
        Amount back = 0;  ///< capacity second -> first

        auto operator<=>(const Joint&) const = default;
    };

    MinimumCut(uint32_t vertexCount, const std::vector<Joint>& joints);

    /// The flow from `source` to `sink`, or `enough` where more can flow.
    /// Requires: source != sink, enough > 0.
    Amount Compute(uint32_t source, uint32_t sink, Amount enough);

    /// After a flow of less than `enough`: whether the vertex lies on the source's side of a
    /// smallest cut. Of several cuts it is the one with the fewest vertices at the sink.
    bool IsAtSource(uint32_t vertex) const
    {
        return m_levels[vertex] == UNREACHED;
    }

  private:
    static constexpr uint32_t UNREACHED = UINT32_MAX;

    /// One direction of a joint, among those that leave a vertex.
    struct Arc
    {
        uint32_t to = 0;
        uint32_t reverse = 0; // the number of the other direction
        Amount capacity = 0;
        Amount room = 0; // capacity that is left
    };

    void FindLevels(uint32_t source, uint32_t sink);
    Amount Push(uint32_t from, uint32_t sink, Amount most);

    uint32_t m_vertexCount;
    std::vector<uint32_t> m_firstArc; // by vertex, and one more
    std::vector<Arc> m_arcs;
    std::vector<uint32_t> m_levels; // by vertex: arcs with room to the sink
    std::vector<uint32_t> m_next;   // by vertex: the arc to try next
    std::vector<uint32_t> m_queue;
};

} // namespace nadi
