// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "network/network-backend.h"
#include "network/topology.h"
#include "simulation/run-results.h"

#include <vector>

namespace nadi
{

/// Looks at every link once an interval: the rows of `series.csv`.
///
/// Holds: a row at t, a multiple of the interval, covers (t - interval, t]. It is read at the end
/// of t, after all that arrived then. Bytes count when their transmission ends, so a frame that
/// the end of an interval cuts counts wholly in the next: a single utilization may pass 1 by a
/// frame, their sum does not.
/// Holds: the run decides how long it samples, never the other way round: what comes after the
/// last multiple is in no row.
/// Holds: no row is all zero. So memory grows with the links that are in use, 48 bytes for each
/// and every interval of use.
///
/// Requires: made before anything was sent; the loop, the network and the topology outlive it; it
/// outlives the run; interval > 0.
class SeriesSampler : private EventHandler
{
  public:
    SeriesSampler(EventLoop& loop,
                  const NetworkBackend& network,
                  const Topology& topology,
                  SimTime interval);

    /// By (time, link).
    std::vector<SeriesSample> TakeSamples();

  private:
    void OnEvent(uint64_t token) override;
    void ScheduleNext();
    void Sample(const TopologyLink& link);

    EventLoop& m_loop;
    const NetworkBackend& m_network;
    const Topology& m_topology;
    SimTime m_interval;
    std::vector<LinkCounters> m_before; // at the last sample, by LinkId
    std::vector<SeriesSample> m_samples;
};

} // namespace nadi
