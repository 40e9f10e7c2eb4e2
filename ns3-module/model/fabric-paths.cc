// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-paths.h"

#include "fabric-path.h"
#include "fabric-time.h"
#include "fabric.h"

#include "ns3/abort.h"
#include "ns3/fabric-link-plan.h"
#include "ns3/fabric-node.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-queue-pair.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Time that `bytes` take at a rate, in picoseconds.
int64_t
ComputeDrainTime(uint64_t bytes, uint64_t bitsPerSecond)
{
    return FabricToTime(FABRIC_BYTE_PICOSECONDS * static_cast<double>(bytes) /
                        static_cast<double>(bitsPerSecond));
}

} // namespace

FabricPaths::FabricPaths(const Fabric& fabric)
    : m_fabric(fabric)
{
}

const std::vector<FabricPort*>&
FabricPaths::FindEgresses(const FabricNode& at, uint32_t destination)
{
    m_egresses.resize(m_fabric.GetNNodes());
    auto& known = m_egresses[at.GetIndex()];
    auto found = known.find(destination);
    if (found == known.end())
    {
        found = known.emplace(destination, std::vector<FabricPort*>()).first;
        m_fabric.GetRouting().FindEgresses(at, m_fabric.GetNode(destination), found->second);
    }
    return found->second;
}

void
FabricPaths::FindAnew(FabricFlow& flow) const
{
    const FabricFlowKey& key = flow.key;
    // Answers take the way that ECMP gives to the reverse flow, which need not be the same links
    // backwards.
    WalkPath(key, flow.forward, FabricFrameKind::Data);
    WalkPath(
        {key.destination, key.source, key.stream}, flow.reverse, FabricFrameKind::Acknowledgement);
}

/// Follows the routing from node to node. The path is empty where there is no way.
void
FabricPaths::WalkPath(const FabricFlowKey& key, FabricPath& path, FabricFrameKind kind) const
{
    path.Clear();
    const FabricNode* at = &m_fabric.GetNode(key.source);
    const FabricNode* destination = &m_fabric.GetNode(key.destination);
    FabricHop hop;
    std::vector<FabricPort*> egresses;
    while (at != destination)
    {
        m_fabric.GetRouting().FindEgresses(*at, *destination, egresses);
        if (egresses.empty())
        {
            // Where links can go down, a flow without a way waits for a change of routes.
            NS_ABORT_MSG_IF(!m_fabric.RoutesByHop(),
                            "no way from node " << key.source << " to node " << key.destination);
            path.Clear();
            return;
        }
        // A way without a loop enters each node at most once.
        NS_ABORT_MSG_IF(path.GetSize() > m_fabric.GetNNodes(),
                        "routing loop from node " << key.source << " to node " << key.destination);
        const auto count = static_cast<uint32_t>(egresses.size());
        FabricPort& egress = *egresses[m_fabric.GetRouting().Pick(*at, key, count)];
        const bool isData = kind == FabricFrameKind::Data;
        // The source itself sends by the port of the path, and answers are not balanced.
        const bool isCrossed = at->GetIndex() != key.source;
        if (isData && isCrossed && count > 1 && at->HasBalancer())
        {
            path.NoteChoice();
        }
        // `hop` is still the hop before: on a ring with a dateline the priority depends on it.
        hop.priority =
            isData ? m_fabric.GetRouting().GetPriority(key, hop, egress) : FABRIC_CONTROL_PRIORITY;
        hop.egress = &egress;
        path.Add(egress.GetIndex(), hop.priority);
        at = &egress.GetPeer().GetFabricNode();
    }
}

/// A path holds numbers of ports only, so the nodes are found by walking along it.
template <class Visitor>
void
FabricPaths::VisitHops(const FabricFlow& flow, FabricFrameKind kind, Visitor visit) const
{
    const FabricPath& path = flow.GetPath(kind);
    const bool isData = kind == FabricFrameKind::Data;
    const FabricNode* at = &m_fabric.GetNode(isData ? flow.key.source : flow.key.destination);
    for (uint32_t i = 0; i < path.GetSize(); ++i)
    {
        const FabricHop hop = at->GetHop(path, i);
        visit(hop);
        at = &hop.egress->GetPeer().GetFabricNode();
    }
}

std::vector<FabricHop>
FabricPaths::ListHops(const FabricFlow& flow, FabricFrameKind kind) const
{
    std::vector<FabricHop> hops;
    VisitHops(flow, kind, [&hops](const FabricHop& hop) { hops.push_back(hop); });
    return hops;
}

FabricPathProperties
FabricPaths::Describe(const FabricFlow& flow) const
{
    const FabricProtocol& protocol = m_fabric.GetProtocol();
    FabricPathProperties path;
    path.payload = protocol.GetPayload();
    path.fullFrame = protocol.GetFullFrame();
    path.slowdowns = &flow.queuePair->GetSlowdowns();
    path.links = flow.forward.GetSize();
    if (flow.forward.IsEmpty())
    {
        return path;
    }
    const FabricNode& source = m_fabric.GetNode(flow.key.source);
    path.lineRate = source.GetHop(flow.forward, 0).egress->GetDataRate().GetBitRate();
    const auto addTransfers = [&path](uint32_t bytes)
    {
        return [&path, bytes](const FabricHop& hop)
        { path.baseRoundTrip = hop.egress->GetTimes().AddTransferTime(path.baseRoundTrip, bytes); };
    };
    VisitHops(flow, FabricFrameKind::Data, addTransfers(path.fullFrame));
    VisitHops(flow, FabricFrameKind::Acknowledgement, addTransfers(protocol.GetControlFrame()));
    return path;
}

bool
FabricPaths::AreUp(const FabricFlow& flow, int64_t now) const
{
    bool areUp = !flow.forward.IsEmpty();
    const auto look = [&areUp, now](const FabricHop& hop)
    {
        const FabricLinkPlan* const plan = hop.egress->GetTimes().GetPlan();
        areUp = areUp && !(plan && plan->IsDown(now));
    };
    VisitHops(flow, FabricFrameKind::Data, look);
    VisitHops(flow, FabricFrameKind::Acknowledgement, look);
    return areUp;
}

int64_t
FabricPaths::ComputeRetransmitTimeout(const FabricFlow& flow) const
{
    if (m_fabric.GetProtocol().GetRetransmitTimeout() > 0)
    {
        return m_fabric.GetProtocol().GetRetransmitTimeout();
    }
    // Long enough that full buffers on the way do not look like a loss: the data and what it waits
    // for may each have to let a whole buffer drain at every hop.
    constexpr int64_t LEAST = 100'000'000; // 100 us
    int64_t timeout = FabricMultiplyTime(4, Describe(flow).baseRoundTrip);
    for (const FabricHop& hop : ListHops(flow, FabricFrameKind::Data))
    {
        const uint64_t memory = hop.egress->GetFabricNode().GetMemorySize();
        const int64_t drain = ComputeDrainTime(memory, hop.egress->GetDataRate().GetBitRate());
        timeout = FabricAddTime(timeout, FabricMultiplyTime(2, drain));
    }
    return std::max(timeout, LEAST);
}

} // namespace ns3
