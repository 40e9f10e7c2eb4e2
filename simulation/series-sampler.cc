// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/series-sampler.h"

#include "common/check.h"

#include <cstdint>
#include <utility>

namespace nadi
{

namespace
{

/// Events of one time go by kind and then by identity. Background comes after all of the simulated
/// work of a time; among the events of the background this has the largest identity, so that a
/// sample also sees the links that fail or come back at its time.
constexpr EventOrder LAST{.kind = EventOrder::Kind::Background, .identity = {UINT64_MAX, 0, 0, 0}};

} // namespace

SeriesSampler::SeriesSampler(EventLoop& loop,
                             const NetworkBackend& network,
                             const Topology& topology,
                             SimTime interval)
    : m_loop(loop)
    , m_network(network)
    , m_topology(topology)
    , m_interval(interval)
    , m_before(topology.LinkCount())
{
    NADI_CHECK(interval > SimTime());
    ScheduleNext();
}

std::vector<SeriesSample>
SeriesSampler::TakeSamples()
{
    return std::exchange(m_samples, {});
}

void
SeriesSampler::OnEvent(uint64_t)
{
    for (uint32_t id = 0; id < m_topology.LinkCount(); ++id)
    {
        Sample(m_topology.Link(LinkId{id}));
    }
    ScheduleNext();
}

void
SeriesSampler::ScheduleNext()
{
    const SimTime now = m_loop.Now();
    if (m_interval <= SimTime::Max() - now) // else the clock ends before
    {
        m_loop.ScheduleAt(now + m_interval, LAST, *this, 0);
    }
}

void
SeriesSampler::Sample(const TopologyLink& link)
{
    const LinkCounters now = m_network.ReadLink(link.id);
    // Counters only grow, so what happened in the interval is a difference of two readings. The
    // queue is no counter: it is what stands there now.
    const LinkCounters before = std::exchange(m_before[link.id.value], now);
    const Bytes carried = now.bytes - before.bytes;
    const SeriesSample sample{.time = m_loop.Now(),
                              .link = link.id,
                              .queue = now.queue,
                              .utilization =
                                  ComputeUtilization(carried, link.bandwidth, m_interval),
                              .paused = now.paused - before.paused,
                              .ecnMarks = now.ecnMarks - before.ecnMarks};
    // A queue that stands still for an interval carries nothing, and is still worth a row.
    const bool isQuiet = carried == Bytes() && sample.queue == Bytes() &&
                         sample.paused == SimTime() && sample.ecnMarks == 0;
    if (!isQuiet)
    {
        m_samples.push_back(sample);
    }
}

} // namespace nadi
