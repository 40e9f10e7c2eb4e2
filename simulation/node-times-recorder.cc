// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/node-times-recorder.h"

#include <utility>

namespace nadi
{

namespace
{

constexpr int64_t PS_PER_RECORDED_NANO = 1000;

} // namespace

NodeTimesRecorder::NodeTimesRecorder(const Workload& workload)
    : m_ofRank(workload.RankCount())
{
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        const uint32_t count = workload.GraphOf(RankId{rank}).NodeCount();
        m_ofRank[rank].startNanos.resize(count, NodeTimes::NOT_ENDED); // until AddNode
        m_ofRank[rank].durationNanos.resize(count);
        m_ofRank[rank].waitNanos.resize(count);
    }
}

void
NodeTimesRecorder::AddNode(RankId rank, const CompletedNode& node)
{
    const int64_t start = node.start.Ps() / PS_PER_RECORDED_NANO;
    NodeTimes& times = m_ofRank[rank.value];
    times.startNanos[node.index] = start;
    const NodeType type = node.graph->Node(node.index).type;
    if (type == NodeType::Collective || type == NodeType::Receive)
    {
        times.waitNanos[node.index] -= start; // AddBegin has set it to the time when it began
    }
    // The duration is the difference of two rounded times instead of a rounded difference. So start
    // and duration add up to the rounded end.
    times.durationNanos[node.index] = node.end.Ps() / PS_PER_RECORDED_NANO - start;
}

void
NodeTimesRecorder::AddBegin(RankId rank, uint32_t node, SimTime now)
{
    m_ofRank[rank.value].waitNanos[node] = now.Ps() / PS_PER_RECORDED_NANO;
}

std::vector<NodeTimes>
NodeTimesRecorder::Take()
{
    return std::exchange(m_ofRank, {});
}

} // namespace nadi
