// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/cut-graph.h"
#include "simulation/lower-bounds.h"
#include "simulation/rated-topology.h"
#include "simulation/run-input.h"
#include "system/collective-engine.h"
#include "system/fabric-limits.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace nadi
{

/// What the whole network allows the collectives of a job (`fabric_bound_ns`, docs/semantics.md 8).
/// It is computed when it is first asked for, once for each group and type, and shared by groups
/// that stand alike in the network.
///
/// Networks of more than MOST_LINKS links have no bounds. All bounds of a job together look at
/// MOST_LINKS_LOOKED_AT links, in all their searches, which takes a second; what would pass that
/// has no bound. Nor has an all-to-all of more than MOST_EXCHANGING ranks.
class FabricBounds
{
  public:
    static constexpr uint32_t MOST_LINKS = 32'768; ///< each direction counted
    static constexpr uint64_t MOST_LINKS_LOOKED_AT = 40'000'000;
    static constexpr uint32_t MOST_EXCHANGING = 64;

    /// Requires: `input` outlives it.
    explicit FabricBounds(const RunInput& input)
        : m_input(input)
        , m_fastest(RatedTopology::Fastest(input.Topology(), input.Faults()))
    {
    }

    /// The time that no algorithm can beat, with the latency between the nearest two members; that
    /// of `lowerBounds` or more. Nothing where no bound is known: barriers, groups of one, and what
    /// is left out.
    std::optional<SimTime> Find(const CollectiveRecord& record, LowerBounds& lowerBounds);

    /// What limits a collective of a group; null where it is left out. Valid as long as this.
    const std::vector<FabricLimit>* FindLimits(CommunicatorId communicator,
                                               const FabricQuestion& question);

    /// The network of the group, whose vertices the cuts of its limits name.
    CutGraph MakeGraph(CommunicatorId communicator) const;

    /// What bounds a run at any time.
    const Topology& Fastest() const
    {
        return m_fastest.Get();
    }

    /// Whether the collective has a bound if it is not left out.
    static bool CanBind(CollectiveType type, uint32_t ranks);

  private:
    const std::vector<FabricLimit>* Compute(CommunicatorId communicator,
                                            const FabricQuestion& question);
    bool Spend(uint64_t links);

    const RunInput& m_input;
    RatedTopology m_fastest;
    uint64_t m_linksLookedAt = 0;
    std::map<std::pair<CommunicatorId, FabricQuestion>, const std::vector<FabricLimit>*> m_known;
    std::map<std::pair<CutGraph, FabricQuestion>, std::vector<FabricLimit>> m_byGraph;
};

} // namespace nadi
