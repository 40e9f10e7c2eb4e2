// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/rank-executor.h"

#include "common/check.h"

#include <fmt/format.h>

#include <stdexcept>

namespace nadi
{

namespace
{

// The kind of the timers that end nodes (EventOrder: {rank, timer kind, node id}).
constexpr uint64_t NODE_END_TIMER = 100;

// The root that a call names, if any; the rendezvous checks that it is a member.
std::optional<RankId>
FindRoot(const ExecutionNode& call)
{
    if (!HasRoot(call.collective) || call.peer == ExecutionNode::NO_ROOT)
    {
        return std::nullopt;
    }
    return RankId{call.peer};
}

} // namespace

RankExecutor::RankExecutor(RankId rank, ExecutionServices& services)
    : m_rank(rank)
    , m_services(services)
    , m_graph(services.workload.GraphOf(rank))
    , m_plan(services.plan.PlanOf(rank))
    , m_progress(m_plan.Initial())
    , m_nodesLeft(m_graph.NodeCount())
{
    for (const uint32_t node : m_plan.Initial().ready)
    {
        MakeReady(node);
    }
}

void
RankExecutor::MakeReady(uint32_t node)
{
    if (FindRoute(m_graph.Node(node)) == NodeRoute::Untimed)
    {
        m_readyUntimed.push_back(node);
        return;
    }
    m_ready.push_back(m_plan.PositionOf(node));
}

void
RankExecutor::IssueReady()
{
    // First, as what they free is to be issued with all else that is ready now, in one order.
    CompleteUntimed();
    std::sort(m_ready.begin(), m_ready.end());
    for (const uint32_t position : m_ready)
    {
        Dispatch(m_plan.NodeAt(position));
    }
    m_ready.clear();
    StartMemoryNodes();
    StartNext(m_computeEngine);
    for (SerialEngine& thread : m_threads)
    {
        StartNext(thread);
    }
}

void
RankExecutor::CompleteUntimed()
{
    // In any order: these nodes take neither time nor a resource.
    while (!m_readyUntimed.empty())
    {
        const uint32_t node = m_readyUntimed.back();
        m_readyUntimed.pop_back();
        m_meter.Touch(m_services.loop.Now());
        m_progress.FinishUntimed(node);
        Finish(node, m_services.loop.Now());
    }
}

void
RankExecutor::Dispatch(uint32_t node)
{
    switch (FindRoute(m_graph.Node(node)))
    {
    case NodeRoute::Cpu:
        return ThreadOf(node).Enqueue(m_plan.PositionOf(node));
    case NodeRoute::ComputeEngine:
        return m_computeEngine.Enqueue(m_plan.PositionOf(node));
    case NodeRoute::Stream:
        return StartTimedNode(node);
    case NodeRoute::Delay:
        return StartDelay(node);
    case NodeRoute::Memory:
        return m_memoryNodes.push_back(node);
    case NodeRoute::Collective:
        return StartCollective(node);
    case NodeRoute::Send:
    case NodeRoute::Receive:
        return StartPointToPoint(node);
    case NodeRoute::Untimed:
        break;
    }
    NADI_CHECK(!"an untimed node is never dispatched");
}

void
RankExecutor::StartMemoryNodes()
{
    // MemoryModel serves accesses in the order of the calls, and wants those of one instant by node
    // id.
    std::sort(m_memoryNodes.begin(),
              m_memoryNodes.end(),
              [this](uint32_t left, uint32_t right)
              { return m_graph.Node(left).id < m_graph.Node(right).id; });
    for (const uint32_t node : m_memoryNodes)
    {
        const ExecutionNode& access = m_graph.Node(node);
        const SimTime now = m_services.loop.Now();
        m_meter.BeginCompute(now);
        if (access.isRemote && m_services.remoteMemory != nullptr)
        {
            StartRemoteAccess(node);
            continue;
        }
        StartTimer(node, m_services.memory.Reserve(now, m_rank, SizeOf(access), access.isRemote));
    }
    m_memoryNodes.clear();
}

void
RankExecutor::StartRemoteAccess(uint32_t node)
{
    using Direction = MemoryAccess::Direction;
    const ExecutionNode& access = m_graph.Node(node);
    m_progress.Issue(node, m_services.loop.Now());
    std::optional<GroupCall> group;
    if (access.isOfGroup)
    {
        group = GroupCall{m_services.plan.CommunicatorOf(m_rank, access),
                          m_services.plan.CallOf(m_rank, node)};
    }
    m_services.remoteMemory->Start(
        {.direction = access.type == NodeType::MemoryLoad ? Direction::Load : Direction::Store,
         .rank = m_rank,
         .size = SizeOf(access),
         .token = node,
         .node = NodeId{access.id},
         .name = std::string(m_graph.Name(node)),
         .group = group});
}

SerialEngine&
RankExecutor::ThreadOf(uint32_t node)
{
    const uint32_t thread = m_graph.Node(node).stream;
    if (thread >= m_threads.size())
    {
        m_threads.resize(thread + 1);
    }
    return m_threads[thread];
}

void
RankExecutor::StartNext(SerialEngine& engine)
{
    if (const std::optional<uint32_t> position = engine.TakeNext())
    {
        StartTimedNode(m_plan.NodeAt(*position));
    }
}

void
RankExecutor::StartTimedNode(uint32_t node)
{
    const SimTime now = m_services.loop.Now();
    if (m_plan.CountsAsCompute(FindRoute(m_graph.Node(node))))
    {
        m_meter.BeginCompute(now);
    }
    else
    {
        m_meter.Touch(now);
    }
    StartTimer(node, FindEnd(node, [&] { return now + ComputeDuration(m_graph.Node(node)); }));
}

void
RankExecutor::StartDelay(uint32_t node)
{
    const SimTime now = m_services.loop.Now();
    m_meter.Touch(now);
    const SimTime delay = SimTime::FromPs(m_graph.Node(node).durationPs);
    StartTimer(node, FindEnd(node, [&] { return now + delay; }));
}

/// What `compute` gives; says which node it is that the clock ends too soon for.
template <class Compute>
SimTime
RankExecutor::FindEnd(uint32_t node, Compute compute) const
{
    try
    {
        return compute();
    }
    catch (const std::overflow_error& error)
    {
        throw std::overflow_error(fmt::format("node {} of rank {} ends too late: {}",
                                              m_graph.Node(node).id,
                                              m_rank.value,
                                              error.what()));
    }
}

void
RankExecutor::StartTimer(uint32_t node, SimTime end)
{
    m_progress.Issue(node, m_services.loop.Now());
    const EventOrder order{EventOrder::Kind::Timer,
                           {m_rank.value, NODE_END_TIMER, m_graph.Node(node).id, 0}};
    m_services.loop.ScheduleAt(end, order, m_services.timers, TimerToken{m_rank, node}.Pack());
}

void
RankExecutor::StartCollective(uint32_t node)
{
    const ExecutionNode& call = m_graph.Node(node);
    const CommunicatorId communicator = m_services.plan.CommunicatorOf(m_rank, call);
    m_progress.Issue(node, m_services.loop.Now());
    BeginCommunication(call);
    m_communication.BeginWait(node, m_meter.ClockAt(m_services.loop.Now()));
    NADI_CHECK(m_services.collectives != nullptr);
    m_services.collectives->Start({
        .rank = m_rank,
        .communicator = communicator,
        .call = m_services.plan.CallOf(m_rank, node),
        .type = call.collective,
        .elements = call.size,
        .root = FindRoot(call),
        .token = node,
        .node = NodeId{call.id},
        .name = std::string(m_graph.Name(node)),
        .recorded = SimTime::FromPs(call.durationPs),
        .isReplayed = m_services.workload.replaysCommunication,
    });
}

void
RankExecutor::StartPointToPoint(uint32_t node)
{
    using Direction = PointToPointCall::Direction;
    const ExecutionNode& call = m_graph.Node(node);
    const bool isSend = call.type == NodeType::Send;
    m_progress.Issue(node, m_services.loop.Now());
    m_meter.Touch(m_services.loop.Now());
    // A receive is communication in progress only once its send was issued: BeginReceive says when.
    if (isSend)
    {
        BeginCommunication(call);
    }
    NADI_CHECK(m_services.pointToPoint != nullptr);
    m_services.pointToPoint->Start({
        .direction = isSend ? Direction::Send : Direction::Receive,
        .rank = m_rank,
        .peer = m_services.workload.PeerOf(m_rank, call),
        .tag = call.tag,
        .size = SizeOf(call),
        .token = node,
        .node = NodeId{call.id},
        .name = std::string(m_graph.Name(node)),
        .recorded = SimTime::FromPs(call.durationPs),
        .isReplayed = m_services.workload.replaysCommunication,
    });
}

void
RankExecutor::CompleteNode(uint32_t node)
{
    NADI_CHECK(m_progress.IsIssued(node));
    const NodeRoute route = FindRoute(m_graph.Node(node));
    EndActivity(node, route);
    if (route == NodeRoute::Cpu)
    {
        ThreadOf(node).Release();
    }
    if (route == NodeRoute::ComputeEngine)
    {
        m_computeEngine.Release();
    }
    Finish(node, m_progress.Finish(node));
}

void
RankExecutor::BeginReceive(Bytes size)
{
    const SimTime now = m_services.loop.Now();
    m_meter.BeginCommunication(now);
    m_communication.Begin({}, size, m_meter.ClockAt(now));
}

SimTime
RankExecutor::EndWait(uint32_t node)
{
    return m_communication.EndWait(node, m_meter.ClockAt(m_services.loop.Now()));
}

RankMetrics
RankExecutor::Metrics() const
{
    const SimTime now = m_services.loop.Now();
    RankMetrics metrics = m_nodesLeft > 0 ? m_meter.ReadAt(now) : m_meter.Read();
    metrics.waiting = m_communication.WaitingAt(m_meter.ClockAt(metrics.finish));
    return metrics;
}

std::vector<CommunicationTotal>
RankExecutor::Communication() const
{
    return m_communication.TotalsAt(m_meter.ClockAt(Metrics().finish));
}

CommunicationKind
RankExecutor::KindOf(const ExecutionNode& node) const
{
    if (node.type != NodeType::Collective)
    {
        return {};
    }
    return {node.collective, m_services.plan.CommunicatorOf(m_rank, node)};
}

void
RankExecutor::BeginCommunication(const ExecutionNode& node)
{
    const SimTime now = m_services.loop.Now();
    m_meter.BeginCommunication(now);
    m_communication.Begin(KindOf(node), SizeOf(node), m_meter.ClockAt(now));
}

void
RankExecutor::EndCommunication(const ExecutionNode& node)
{
    const SimTime now = m_services.loop.Now();
    m_meter.EndCommunication(now);
    m_communication.End(KindOf(node), m_meter.ClockAt(now));
}

void
RankExecutor::EndActivity(uint32_t node, NodeRoute route)
{
    const SimTime now = m_services.loop.Now();
    if (m_plan.CountsAsCompute(route))
    {
        return m_meter.EndCompute(now);
    }
    if (route == NodeRoute::Cpu || route == NodeRoute::Delay)
    {
        return m_meter.Touch(now);
    }
    EndCommunication(m_graph.Node(node));
}

void
RankExecutor::Finish(uint32_t node, SimTime start)
{
    --m_nodesLeft;
    if (m_services.observer != nullptr)
    {
        m_services.observer->OnNodeCompleted(
            m_rank, NodeId{m_graph.Node(node).id}, start, m_services.loop.Now());
    }
    for (const uint32_t child : m_graph.Children(node))
    {
        Unblock(child);
    }
    if (const std::optional<uint32_t> successor = m_plan.StreamSuccessor(node))
    {
        Unblock(*successor);
    }
}

void
RankExecutor::Unblock(uint32_t node)
{
    if (m_progress.Unblock(node))
    {
        MakeReady(node);
    }
}

SimTime
RankExecutor::ComputeDuration(const ExecutionNode& node) const
{
    return m_services.compute.ComputeDuration({
        .rank = m_rank,
        .recorded = SimTime::FromPs(node.durationPs),
        .operations = Flops(static_cast<int64_t>(node.operations)),
        .memory = SizeOf(node),
        .isCpu = node.isCpu,
    });
}

Bytes
RankExecutor::SizeOf(const ExecutionNode& node) const
{
    return m_services.workload.elementSize * static_cast<int64_t>(node.size);
}

} // namespace nadi
