// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace-feeder.h"

#include "common/check.h"

#include <tuple>

namespace nadi
{

bool
TraceFeeder::ComesLater::operator()(uint32_t left, uint32_t right) const
{
    const auto keyOf = [this](uint32_t index)
    { return std::tuple(graph->Node(index).priority, graph->Node(index).id); };
    // The queue has its largest element on top, and the smallest key is to be there.
    return keyOf(left) > keyOf(right);
}

TraceFeeder::TraceFeeder(const ExecutionGraph& graph)
    : m_graph(graph)
    , m_states(graph.NodeCount(), State::Waiting)
    , m_missing(graph.NodeCount())
    , m_ready(ComesLater{&graph})
    , m_left(graph.NodeCount())
{
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        m_missing[node] = graph.ParentCount(node);
        if (m_missing[node] == 0)
        {
            m_ready.push(node);
        }
    }
}

std::optional<uint32_t>
TraceFeeder::TakeReady()
{
    if (m_ready.empty())
    {
        return std::nullopt;
    }
    const uint32_t node = m_ready.top();
    m_ready.pop();
    m_states[node] = State::Taken;
    return node;
}

void
TraceFeeder::Complete(uint32_t node)
{
    NADI_CHECK(m_states.at(node) == State::Taken);
    m_states[node] = State::Complete;
    --m_left;
    for (const uint32_t child : m_graph.Children(node))
    {
        if (--m_missing[child] == 0)
        {
            m_ready.push(child);
        }
    }
}

} // namespace nadi
