// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/hash.h"
#include "network/routing.h"

#include <compare>
#include <cstdint>
#include <deque>
#include <limits>
#include <unordered_map>
#include <vector>

namespace nadi
{

/// Routing on any topology, over the links that have not failed: the paths that use the fewest
/// other NPUs as transit and, of those, the least sum of routing costs: the fewest links, unless a
/// generator makes some links count for more. So where switches join two NPUs, no third NPU carries
/// their traffic; where only NPUs do (a torus given as a list of links), it is the plain shortest
/// path. A link may also count as NPUs in transit: those by which NPUs leave their node do, so that
/// messages inside a node stay there even where they cross other NPUs of the node.
///
/// All links that keep to such a path are offered, parallel ones included: the set that ECMP picks
/// from. The answers are worked out when they are first needed, and kept: one table for all NPUs
/// whose only neighbour is the same switch, one for each other NPU. A table has a number for each
/// vertex, that of one of the few different sets of links.
class ShortestPathRouting : public Routing
{
  public:
    /// Tables are forgotten, the oldest first, rather than hold more answers than this: 512 MiB.
    static constexpr uint64_t DEFAULT_MAX_ANSWERS = uint64_t{1} << 27;

    /// Requires: `failed` are links of the topology, in any order; the topology is connected while
    /// none has failed, and outlives the routing.
    explicit ShortestPathRouting(const Topology& topology,
                                 const std::vector<LinkId>& failed = {},
                                 uint64_t maxAnswers = DEFAULT_MAX_ANSWERS);

    /// The reference stays valid.
    const std::vector<LinkId>& FindNextLinks(VertexId at, VertexId destination) const override;

  private:
    /// Half the range, so that a step from there does not wrap around.
    static constexpr uint32_t UNREACHABLE = std::numeric_limits<uint32_t>::max() / 2;

    /// Of the best path from a vertex to a target, neither of which counts as transit.
    struct Cost
    {
        uint32_t transitNpus = UNREACHABLE; ///< and what links count beside them
        uint32_t links = UNREACHABLE;       ///< sum of their routing costs

        auto operator<=>(const Cost&) const = default;
    };

    struct LinksHash
    {
        size_t operator()(const std::vector<LinkId>& links) const
        {
            uint64_t hash = links.size();
            for (const LinkId link : links)
            {
                hash = Mix64(hash ^ link.value);
            }
            return hash;
        }
    };

    using Costs = std::vector<Cost>;       // by vertex
    using Answers = std::vector<uint32_t>; // by vertex: index of a set of links

    VertexId FindTarget(VertexId destination) const;
    const Answers& AnswersTo(VertexId target) const;
    Answers ComputeAnswers(VertexId target) const;
    uint32_t IndexOf(const std::vector<LinkId>& links) const;
    const std::vector<LinkId>& LastLinks(VertexId at, VertexId destination) const;
    Costs ComputeCosts(VertexId target) const;
    Cost CostThrough(const TopologyLink& link, VertexId target, const Costs& costs) const;

    std::vector<bool> m_isFailed;    // by link
    std::vector<VertexId> m_targets; // by destination: where its costs lead to
    uint64_t m_maxTables;
    mutable std::vector<Answers> m_answers; // by target; empty: not known
    mutable std::deque<VertexId> m_known;   // targets whose answers are, the oldest first
    mutable std::unordered_map<std::vector<LinkId>, uint32_t, LinksHash> m_indexOf;
    mutable std::vector<const std::vector<LinkId>*> m_sets; // keys of m_indexOf, by index
    mutable std::vector<uint32_t> m_lastSets; // by destination: of the links from its target
};

} // namespace nadi
