// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/link-capacities.h"

#include <algorithm>
#include <optional>
#include <set>

namespace nadi
{

namespace
{

bool
Holds(const LinkFault& fault, SimTime at)
{
    return fault.at <= at && (!fault.until || at < *fault.until);
}

/// Bits per second at that time: of several faults, an outage rules, and then the lowest bandwidth,
/// as in a run.
double
RateAt(SimTime at, Bandwidth usual, const std::vector<const LinkFault*>& faults)
{
    std::optional<Bandwidth> lowest;
    for (const LinkFault* fault : faults)
    {
        if (!Holds(*fault, at))
        {
            continue;
        }
        if (fault->isDown)
        {
            return 0;
        }
        if (fault->bandwidth)
        {
            lowest = std::min(lowest.value_or(*fault->bandwidth), *fault->bandwidth);
        }
    }
    return static_cast<double>(lowest.value_or(usual).BitsPerSecond());
}

/// A second has 10^12 ps.
double
ToSeconds(SimTime time)
{
    return static_cast<double>(time.Ps()) / 1e12;
}

} // namespace

LinkCapacities::LinkCapacities(const Topology& topology, const std::vector<LinkFault>& faults)
    : m_topology(topology)
{
    for (const LinkFault& fault : faults)
    {
        for (const LinkId link : fault.links)
        {
            if (fault.isDown || fault.bandwidth)
            {
                m_faults[link.value].push_back(&fault);
            }
        }
    }
}

double
LinkCapacities::ComputeUtilization(LinkId link, Bytes carried, SimTime end) const
{
    const double most = CountBits(link, end);
    return most == 0 ? 0 : static_cast<double>(carried.Count()) * 8 / most;
}

double
LinkCapacities::CountBits(LinkId link, SimTime end) const
{
    const Bandwidth usual = m_topology.Link(link).bandwidth;
    const auto found = m_faults.find(link.value);
    if (found == m_faults.end())
    {
        return static_cast<double>(usual.BitsPerSecond()) * ToSeconds(end);
    }
    // Between two of these times nothing changes.
    std::set<SimTime> times{SimTime(), end};
    for (const LinkFault* fault : found->second)
    {
        times.insert(std::min(fault->at, end));
        times.insert(std::min(fault->until.value_or(end), end));
    }
    double bits = 0;
    for (auto from = times.begin(), until = std::next(from); until != times.end(); ++from, ++until)
    {
        bits += RateAt(*from, usual, found->second) * ToSeconds(*until - *from);
    }
    return bits;
}

} // namespace nadi
