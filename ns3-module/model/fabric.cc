// SPDX-License-Identifier: GPL-2.0-only
#include "fabric.h"

#include "fabric-hash.h"

#include "ns3/abort.h"
#include "ns3/fabric-port.h"
#include "ns3/fabric-queue-pair.h"
#include "ns3/fabric-trains-end.h"
#include "ns3/log.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("Fabric");
NS_OBJECT_ENSURE_REGISTERED(Fabric);

TypeId
Fabric::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::Fabric").SetParent<Object>().SetGroupName("Fabric").AddConstructor<Fabric>();
    return tid;
}

Fabric::Fabric()
    : m_protocol(CreateObject<FabricProtocol>())
{
    NS_ABORT_MSG_IF(Time::GetResolution() != Time::PS,
                    "the fabric counts picoseconds; call Time::SetResolution(Time::PS) first");
}

Fabric::~Fabric() = default;

void
Fabric::AddNode(FabricNode& node)
{
    node.JoinFabric(*this, GetNNodes());
    m_nodes.push_back(&node);
}

void
Fabric::SetRouting(Ptr<FabricRouting> routing)
{
    m_routing = routing;
}

void
Fabric::SetFailedCallback(FailedCallback callback)
{
    m_failed = callback;
}

void
Fabric::ReportFailure(const FabricFlowKey& flow) const
{
    NS_ABORT_MSG_IF(m_failed.IsNull(),
                    "a queue pair from node " << flow.source << " to node " << flow.destination
                                              << " gave up");
    m_failed(flow);
}

void
Fabric::SetClockEndCallback(ClockEndCallback callback)
{
    m_clockEnd = callback;
}

/// The abort is reached only where there is no callback, or where it returns although it must not.
void
Fabric::ReportClockEnd(const FabricPort& port) const
{
    if (!m_clockEnd.IsNull())
    {
        m_clockEnd(port);
    }
    NS_ABORT_MSG("frames of port " << port.GetIndex() << " of node "
                                   << port.GetFabricNode().GetIndex()
                                   << " would arrive after the end of the clock");
}

FabricPairHandle
Fabric::OpenQueuePair(const FabricFlowKey& key)
{
    NS_ABORT_MSG_IF(key.source == key.destination, "a node sends no message to itself");
    return m_pairs.Open(key);
}

void
Fabric::Post(FabricPairHandle pair, uint64_t size, uint64_t cookie)
{
    m_nodes[m_pairs.GetKey(pair).source]->GetSender().Post(pair, size, cookie);
}

void
Fabric::CloseStream(uint64_t stream)
{
    // A queue pair without an object has nothing to end: it stood in the table alone.
    for (const uint32_t flow : m_pairs.Close(stream))
    {
        FabricFlow& closed = GetFlow(flow);
        m_nodes[closed.key.source]->GetSender().Close(*closed.queuePair);
    }
}

void
Fabric::SetOwner(FabricPairHandle pair, uint32_t owner)
{
    GetFlow(m_pairs.GetFlow(pair)).queuePair->SetOwner(owner);
}

bool
Fabric::IsIdle(FabricPairHandle pair) const
{
    const uint32_t flow = m_pairs.GetFlow(pair);
    return flow == FabricPairTable::NO_FLOW || m_flows[flow].queuePair->IsIdle();
}

bool
Fabric::IsAsNew(FabricPairHandle pair) const
{
    const uint32_t flow = m_pairs.GetFlow(pair);
    return flow == FabricPairTable::NO_FLOW || m_flows[flow].queuePair->IsAsNew();
}

void
Fabric::SkipFrames(FabricPairHandle pair, uint64_t frames)
{
    const uint32_t flow = m_pairs.GetFlow(pair);
    // An object counts its own frames, so it is given back first, which stores its count in the
    // table. The next object goes on from there.
    if (flow != FabricPairTable::NO_FLOW)
    {
        FabricFlow& given = GetFlow(flow);
        m_nodes[given.key.source]->GetSender().GiveBack(*given.queuePair);
    }
    m_pairs.SetFrames(pair, m_pairs.GetFrames(pair) + frames);
}

void
Fabric::ReportIdle(FabricQueuePair& queuePair)
{
    // The count begins anew here, so that the listener is told of each slowdown once.
    const uint64_t slowdowns = std::exchange(queuePair.GetSlowdowns(), 0);
    m_slowdowns += slowdowns;
    m_hasHeldFrames |= queuePair.WasHeld();
    if (m_activity != nullptr)
    {
        m_activity->OnIdle(queuePair.GetOwner(), slowdowns);
    }
}

uint64_t
Fabric::GetNSlowdowns() const
{
    // m_slowdowns has what queue pairs have reported when they became idle (ReportIdle).
    uint64_t slowdowns = m_slowdowns;
    m_flows.Visit([&](const FabricFlow& flow) { slowdowns += flow.queuePair->GetSlowdowns(); });
    return slowdowns;
}

bool
Fabric::HasHeldFrames() const
{
    bool held = m_hasHeldFrames;
    m_flows.Visit([&](const FabricFlow& flow) { held |= flow.queuePair->WasHeld(); });
    return held;
}

FabricQueuePair&
Fabric::OpenFlow(FabricPairHandle pair)
{
    // By the first message everything is connected and set.
    Prepare();
    const FabricFlowKey key = m_pairs.GetKey(pair);
    const uint32_t index = m_flows.Open(key, *m_protocol);
    FabricFlow& flow = m_flows[index];
    FabricQueuePair& queuePair = *flow.queuePair;
    // Random draws use the identity. The index would not do: it is used again, and it depends on
    // the order in which flows were opened (T5).
    flow.identity = FabricHash({uint64_t{key.source} << 32 | key.destination, key.stream});
    flow.handle = pair;
    m_paths.FindAnew(flow);
    FabricQueuePairSetup setup;
    setup.flow = index;
    setup.source = key.source;
    setup.path = m_paths.Describe(flow);
    // Where frames of one flow can overtake each other, a frame that comes early is no sign of a
    // loss, and no NACK is sent for it (FabricReceiver::Answer). If it were discarded, it would be
    // missing until the retry timer ends, and where nothing can be lost there is no timer.
    setup.reordering =
        Reorders(flow) || m_protocol->GetLossRecovery() == FabricLossRecovery::Selective
            ? FabricReordering::Keep
            : FabricReordering::Discard;
    setup.telemetry = &m_telemetry;
    setup.formsTrains = m_formsTrains;
    // Without acknowledgements on the wire nobody would notice a loss.
    setup.isSilent = m_protocol->IsSilent(key.stream) && !CanLose() && !Reorders(flow);
    setup.now = FabricNow();
    queuePair.Open(setup);
    queuePair.ContinueFrom(m_pairs.GetFrames(pair)); // 0 if it was never given back
    m_pairs.SetFlow(pair, index);
    NS_LOG_LOGIC("flow " << index << " from node " << key.source << " to node " << key.destination
                         << " over " << flow.forward.GetSize() << " links");
    return queuePair;
}

void
Fabric::CloseFlow(uint32_t flow)
{
    m_flows.Close(flow);
}

/// Of the queue pair only the number of its frames is kept, since random draws are functions of the
/// numbers of frames.
void
Fabric::GiveFlowBack(uint32_t flow)
{
    const FabricFlow& given = GetFlow(flow);
    m_pairs.SetFrames(given.handle, given.queuePair->GetPosted());
    ++m_givenBack;
    CloseFlow(flow);
}

void
Fabric::ForgetFlows()
{
    m_flows.Clear();
    m_pairs = FabricPairTable();
}

void
Fabric::EndFrame(const FabricFrame& frame)
{
    if (frame.IsLinkLocal())
    {
        return;
    }
    // The detail of a NACK is a distance in frames, not a slot of the telemetry pool.
    if (frame.kind != FabricFrameKind::NegativeAcknowledgement &&
        frame.detail != FabricFrame::NO_DETAIL)
    {
        m_telemetry.Release(frame.detail);
    }
    const FabricFlow& flow = GetFlow(frame.flow);
    m_nodes[flow.key.source]->GetSender().EndFrame(*flow.queuePair);
}

void
Fabric::LoseFrame(const FabricFrame& frame, int64_t now)
{
    if (!frame.IsLinkLocal())
    {
        // Before it ends, which may end its queue pair.
        GetFlow(frame.flow).queuePair->OnLoss(frame, now);
    }
    EndFrame(frame);
}

void
Fabric::Reroute(int64_t now)
{
    m_paths.Forget();
    // First the senders, so that new frames take the new ways, then the frames that wait in the
    // network.
    for (const FabricFlow* flow : ListFlows())
    {
        m_nodes[flow->key.source]->GetSender().Reroute(*flow->queuePair, now);
    }
    for (FabricNode* node : m_nodes)
    {
        node->RedirectStranded(now);
        node->UpdatePauses(now);
        for (uint32_t i = 0; i < node->GetNPorts(); ++i)
        {
            node->GetPort(i).Reconsider(now);
        }
    }
}

void
Fabric::RequestFinishArrivals(FabricNode& node)
{
    if (m_finishing.empty())
    {
        m_arrivalsEnd.ScheduleAtEndOfInstant();
    }
    m_finishing.push_back(&node);
}

void
Fabric::FinishArrivals()
{
    const int64_t now = FabricNow();
    // Nothing is left to be called for where an event loop has called this first.
    m_arrivalsEnd.Cancel();
    // In the order of nodes: they were asked for in the order of events (T5).
    const auto isBefore = [](const FabricNode* a, const FabricNode* b)
    { return a->GetIndex() < b->GetIndex(); };
    std::sort(m_finishing.begin(), m_finishing.end(), isBefore);
    // Not by iterators: where the calm of one memory ends, that of another may come into doubt.
    for (std::size_t i = 0; i < m_finishing.size(); ++i)
    {
        m_finishing[i]->FinishArrivals(now);
    }
    m_finishing.clear();
}

void
Fabric::DoDispose()
{
    m_arrivalsEnd.Cancel();
    ForgetFlows();
    m_routing = nullptr;
    m_protocol = nullptr;
    m_failed.Nullify();
    m_clockEnd.Nullify();
    Object::DoDispose();
}

/// In the order of their keys: their indices depend on the order in which they were opened (T5).
std::vector<const FabricFlow*>
Fabric::ListFlows() const
{
    std::vector<const FabricFlow*> flows;
    m_flows.Visit([&flows](const FabricFlow& flow) { flows.push_back(&flow); });
    const auto isBefore = [](const FabricFlow* a, const FabricFlow* b)
    {
        return std::tie(a->key.source, a->key.stream, a->key.destination) <
               std::tie(b->key.source, b->key.stream, b->key.destination);
    };
    std::sort(flows.begin(), flows.end(), isBefore);
    return flows;
}

void
Fabric::Prepare()
{
    if (m_isPrepared)
    {
        return;
    }
    m_isPrepared = true;
    NS_ABORT_MSG_IF(!m_routing, "the fabric has no routing; call SetRouting first");
    bool isSomeArrivalSeen = false;
    bool losesFromTheStart = false; // or at times that nothing foretells
    bool isSomeBalanced = false;
    for (FabricNode* node : m_nodes)
    {
        node->Prepare();
        isSomeArrivalSeen = isSomeArrivalSeen || node->HasArrivalAction();
        m_canLose = m_canLose || node->CanDrop();
        losesFromTheStart = losesFromTheStart || node->DropsFromTheStart();
        isSomeBalanced = isSomeBalanced || node->HasBalancer();
        for (uint32_t i = 0; i < node->GetNPorts(); ++i)
        {
            const FabricLinkPlan* plan = node->GetPort(i).GetTimes().GetPlan();
            m_canLose = m_canLose || node->GetPort(i).CanLose();
            losesFromTheStart = losesFromTheStart || node->GetPort(i).CanLose();
            // A path that is found once for a flow would go on leading over a link that has failed.
            m_routesByHop = m_routesByHop || (plan && plan->GoesDown());
        }
    }
    // Where each frame has one way whatever a balancer wants, frames keep their order, and a gap is
    // a loss. After a failure several ways may be left.
    m_reorders = isSomeBalanced && (m_routesByHop || m_routing->OffersChoice());
    // Asked after all nodes, because one lossy port or balancer anywhere is enough to rule trains
    // out; and ports are told after that.
    m_formsTrains =
        m_protocol->FormsTrains() && !losesFromTheStart && !HasManyWays() && !isSomeArrivalSeen;
    // Whether a port forms trains depends on the calm of the node at its far end, so all nodes are
    // asked about their calm before any port.
    for (FabricNode* node : m_nodes)
    {
        node->PrepareCalm();
    }
    for (FabricNode* node : m_nodes)
    {
        node->PrepareTrains();
    }
}

void
Fabric::EndTrains(int64_t now)
{
    if (m_formsTrains)
    {
        m_formsTrains = false;
        EndFabricTrains(*this, now);
    }
}

} // namespace ns3
