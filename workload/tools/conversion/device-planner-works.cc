// SPDX-License-Identifier: GPL-2.0-only
// What there is to plan: the part of DevicePlanner that collects works and calls.
#include "workload/tools/conversion/device-planner.h"

#include <algorithm>
#include <utility>

namespace nadi
{

void
DevicePlanner::CollectWorks()
{
    CollectCalls();
    for (size_t index = 0; index < m_trace.events.size(); ++index)
    {
        if (m_trace.events[index].IsDeviceWork())
        {
            m_plan.works.push_back(MakeWork(index));
        }
    }
    std::stable_sort(m_plan.works.begin(),
                     m_plan.works.end(),
                     [this](const DeviceWork& left, const DeviceWork& right)
                     {
                         // One call may launch a whole graph of work.
                         return std::pair(left.launchedNs, m_trace.events[left.event].startNs) <
                                std::pair(right.launchedNs, m_trace.events[right.event].startNs);
                     });
    for (size_t work = 0; work < m_plan.works.size(); ++work)
    {
        if (m_plan.works[work].launch != DeviceWork::NONE)
        {
            m_plan.worksOfCall[m_plan.works[work].launch].push_back(work);
        }
    }
}

/// Order: called before works are made, which find their launch by its correlation.
void
DevicePlanner::CollectCalls()
{
    for (size_t index = 0; index < m_trace.events.size(); ++index)
    {
        const KinetoEvent& event = m_trace.events[index];
        if (event.kind != KinetoEvent::Kind::Runtime)
        {
            continue;
        }
        m_hasStreamWaits = m_hasStreamWaits || IsStreamWait(event.name);
        if (event.correlation)
        {
            m_callOfCorrelation.emplace(*event.correlation, index);
        }
    }
}

DeviceWork
DevicePlanner::MakeWork(size_t index) const
{
    const KinetoEvent& event = m_trace.events[index];
    const auto launch = event.correlation ? m_callOfCorrelation.find(*event.correlation)
                                          : m_callOfCorrelation.end();
    // A work without a launching call counts as launched when it began.
    DeviceWork work{.event = index, .launchedNs = event.startNs};
    if (launch != m_callOfCorrelation.end())
    {
        work.launch = launch->second;
        work.launchedNs = m_trace.events[launch->second].startNs;
    }
    work.isCommunication =
        event.kind == KinetoEvent::Kind::Kernel && IsCommunicationKernel(event.name);
    return work;
}

void
DevicePlanner::CollectSynchronizations()
{
    for (size_t index = 0; index < m_trace.events.size(); ++index)
    {
        const KinetoEvent& event = m_trace.events[index];
        if (event.kind == KinetoEvent::Kind::Synchronization && event.correlation)
        {
            m_synchronizations.emplace(*event.correlation, index);
        }
    }
}

/// Lists communication by the outermost operator around its launch: a wait within that operator is
/// of this communication (OnCollectiveWait).
void
DevicePlanner::CollectLaunchesOfCalls()
{
    for (size_t work = 0; work < m_plan.works.size(); ++work)
    {
        const DeviceWork& candidate = m_plan.works[work];
        if (candidate.isCommunication && candidate.launch != DeviceWork::NONE)
        {
            m_launchesOfCall[m_calls.FindOperator(candidate.launch)].push_back(work);
        }
    }
}

} // namespace nadi
