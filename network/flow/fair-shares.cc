// SPDX-License-Identifier: GPL-2.0-only
#include "network/flow/fair-shares.h"

#include "network/flow/exact-shares.h"

#include <algorithm>
#include <vector>

namespace nadi
{

namespace
{

/// Below this share of all flows, starts and stops are worth a search for what they change.
constexpr uint64_t FEW = 16;

} // namespace

FairShares::FairShares(const std::vector<uint64_t>& capacities, uint32_t stepsPerLink)
    : m_table(capacities)
    , m_mostSteps(uint64_t{stepsPerLink} * capacities.size())
    , m_groups(capacities.size())
{
}

uint32_t
FairShares::AddFlow(const std::vector<LinkId>& path)
{
    const uint32_t flow = m_table.AddFlow(path);
    m_flows.resize(std::max<size_t>(m_flows.size(), flow + 1));
    return flow;
}

void
FairShares::Start(uint32_t flow)
{
    m_table.Enter(flow);
    m_starting.push_back(flow);
    ++m_events;
}

void
FairShares::Stop(uint32_t flow)
{
    // The flow was started after the last Update, and has no share yet.
    if (!m_table.IsPlaced(flow))
    {
        m_starting.erase(std::find(m_starting.begin(), m_starting.end(), flow));
    }
    // A link that nobody crosses any more gives nobody another rate.
    m_table.Leave(flow, [this](uint32_t shared) { m_touched.push_back(shared); });
    ++m_events;
}

const FairShares::Changes&
FairShares::Update()
{
    m_changes.rates.clear();
    m_changes.groups.clear();
    if (m_events == 0)
    {
        return m_changes;
    }
    ++m_update;
    // Where there are many events, or Balance gives up, everything is left to the filling.
    if (m_events * FEW >= m_table.Crossings().StartedFlows().size() || !Balance())
    {
        FillTouched();
    }
    m_touched.clear();
    m_starting.clear();
    m_events = 0;
    CloseChanges();
    return m_changes;
}

void
FairShares::RecordRate(uint32_t group)
{
    if (m_groups[group].recorded != m_update)
    {
        m_groups[group].recorded = m_update;
        // The former rate. The new one is known when the update is over: a share may change several
        // times while links have their turns, and is rounded once, in CloseChanges.
        m_changes.rates.push_back({group, m_groups[group].rate});
    }
}

void
FairShares::RecordGroup(uint32_t flow)
{
    if (m_flows[flow].recorded != m_update)
    {
        m_flows[flow].recorded = m_update;
        m_changes.groups.push_back({flow, GroupOf(flow)});
    }
}

/// A flow is never without a rate, or it would never end.
uint64_t
FairShares::FindRate(uint32_t group) const
{
    const Share share = m_table.ShareAt(group);
    const uint64_t rate = ExactShares::IsInDoubt(share) ? ExactShares(m_table).RoundDownAt(group)
                                                        : ExactShares::RoundDown(share);
    return std::max<uint64_t>(rate, 1);
}

/// Of what was recorded, keeps what is different now.
void
FairShares::CloseChanges()
{
    const auto isSameRate = [this](const NewRate& change)
    {
        uint64_t& rate = m_groups[change.group].rate;
        // Set within the predicate, which remove_if calls once for each group of the list.
        rate = FindRate(change.group);
        return rate == change.before;
    };
    const auto isSameGroup = [this](const NewGroup& change)
    { return GroupOf(change.flow) == change.before; };
    auto& [rates, groups] = m_changes;
    rates.erase(std::remove_if(rates.begin(), rates.end(), isSameRate), rates.end());
    groups.erase(std::remove_if(groups.begin(), groups.end(), isSameGroup), groups.end());
}

} // namespace nadi
