// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/rated-topology.h"
#include "simulation/run-input.h"
#include "system/collective-engine.h"

#include <map>
#include <tuple>

namespace nadi
{

/// The lower bound of every collective of a run (docs/semantics.md 8). Remembers: a job calls the
/// same few collectives over and over.
///
/// A collective whose members differ in size is bounded as if all had the smallest; an all-to-all
/// with splits, by the most that a member sends and the most that one receives.
class LowerBounds
{
  public:
    explicit LowerBounds(const RunInput& input)
        : m_input(input)
        , m_fastest(RatedTopology::Fastest(input.Topology(), input.Faults()))
    {
    }

    SimTime Find(const CollectiveRecord& record);

    /// The smallest latency between two members.
    SimTime FindLatency(CommunicatorId communicator);

  private:
    using Key = std::tuple<CommunicatorId, CollectiveType, Bytes, RankId, bool>;

    SimTime Compute(const CollectiveRecord& record);
    SimTime ComputeOfSplits(const CollectiveRecord& record);

    const RunInput& m_input;
    RatedTopology m_fastest;
    std::map<Key, SimTime> m_bounds;
    std::map<CommunicatorId, SimTime> m_latencies; // between the nearest two members
};

} // namespace nadi
