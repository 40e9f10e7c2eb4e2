// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/rank-executor.h"

#include "common/check.h"
#include "workload/engine/compute-work.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace nadi
{

namespace
{

// The kind of the timers that end nodes (EventOrder: {rank, timer kind, node id}).
constexpr uint64_t NODE_END_TIMER = 100;

// The root that a call names, if any; CheckJob has found that it is a member.
std::optional<RankId>
FindRoot(const ExecutionNode& call)
{
    if (!HasRoot(call.collective) || call.peer == ExecutionNode::NO_ROOT)
    {
        return std::nullopt;
    }
    return RankId{call.peer};
}

/// What the node says, else what its tag says.
MessageKind
KindOfNode(const ExecutionNode& node, const std::vector<TagKind>& kindsOfTags)
{
    if (node.saysPipeline || node.kind != MessageKind::Pipeline)
    {
        return node.kind;
    }
    const auto found = std::ranges::find_if(
        kindsOfTags, [&](const TagKind& range) { return range.Has(node.tag); });
    return found == kindsOfTags.end() ? MessageKind::Pipeline : found->kind;
}

} // namespace

// The way of a node: when its last blocker is done, MakeReady puts it into a list of its part.
// IssueReady empties the lists: nodes without time complete, which may fill the lists again; nodes
// that need an engine queue up at it; all others start. A start sets a timer or calls a layer
// below, and either of them reports the end to the listener. The listener calls CompleteNode, where
// Finish unblocks what waits for the node.
RankExecutor::RankExecutor(RankId rank, ExecutionServices& services)
    : m_rank(rank)
    , m_services(services)
{
}

void
RankExecutor::Begin(const RankScript& script)
{
    // The workload's own graphs call no communicator of submitted episodes (JobEngine::Submit
    // requires it), so their calls are not counted.
    const bool isSubmitted = script.episode > 0;
    m_parts.emplace_back(script, isSubmitted ? CountCallsBefore(script) : std::vector<uint32_t>());
    if (isSubmitted)
    {
        CountCalls(script);
    }
    m_nodesLeft += script.graph->NodeCount();
    for (const uint32_t node : script.plan->Initial().ready)
    {
        MakeReady(m_parts.back(), node);
    }
}

/// By group of the graph: how many calls of its communicator the episodes that began earlier make.
std::vector<uint32_t>
RankExecutor::CountCallsBefore(const RankScript& script) const
{
    std::vector<uint32_t> calls;
    for (const CommunicatorId communicator : *script.communicatorOfGroup)
    {
        const auto begun = m_callsBegun.find(communicator);
        calls.push_back(begun == m_callsBegun.end() ? 0 : begun->second);
    }
    return calls;
}

/// Collectives only: submitted episodes have no accesses of groups (EpisodePlan checks that).
void
RankExecutor::CountCalls(const RankScript& script)
{
    for (const uint32_t node : script.plan->CollectiveNodes())
    {
        ++m_callsBegun[script.CommunicatorOf(script.graph->Node(node))];
    }
}

// The listener, not this, completes the node: it also has to let the rank issue what the node
// frees.
void
RankExecutor::OnEvent(uint64_t token)
{
    m_services.listener.OnNodeEnd(m_rank, token);
}

// Requires: the rank's part of the episode has nodes left; RemoveEndedParts takes out the others.
RankPart&
RankExecutor::PartOf(EpisodeNumber episode)
{
    const auto found =
        std::find_if(m_parts.begin(),
                     m_parts.end(),
                     [&](const RankPart& part) { return part.script.episode == episode; });
    NADI_CHECK(found != m_parts.end());
    return *found;
}

void
RankExecutor::MakeReady(RankPart& part, uint32_t node)
{
    if (FindRoute(part.Node(node)) == NodeRoute::Untimed)
    {
        part.readyUntimed.push_back(node);
        return;
    }
    // Kept by position, so that DispatchReady sorts plain numbers into the order of issue.
    part.ready.push_back(part.script.plan->PositionOf(node));
}

void
RankExecutor::IssueReady()
{
    // First, as what they free is to be issued with all else that is ready now, in one order.
    for (RankPart& part : m_parts)
    {
        CompleteUntimed(part);
    }
    // Below, nothing completes: a timed node or a call ends by a later event, however short it is.
    // So a part can end above only.
    RemoveEndedParts();
    for (RankPart& part : m_parts)
    {
        DispatchReady(part);
    }
    for (RankPart& part : m_parts)
    {
        StartMemoryNodes(part);
    }
    // After all parts were dispatched, so that an engine chooses among all that is ready. One start
    // for each engine is enough: it is busy until CompleteNode, which is followed by another
    // IssueReady.
    StartNext(m_computeEngine);
    for (SerialEngine& thread : m_threads)
    {
        StartNext(thread);
    }
}

void
RankExecutor::CompleteUntimed(RankPart& part)
{
    // In any order: these nodes take neither time nor a resource.
    while (!part.readyUntimed.empty())
    {
        const uint32_t node = part.readyUntimed.back();
        // Taken out first: Finish may append nodes that this one frees.
        part.readyUntimed.pop_back();
        m_meter.Touch(m_services.loop.Now());
        part.progress.FinishUntimed(node);
        Finish(part, node, m_services.loop.Now());
        if (part.Node(node).type == NodeType::Milestone)
        {
            m_services.listener.OnMilestone({part.script.episode, part.Node(node).tag, m_rank});
        }
    }
}

/// Moves the parts: no reference to one is valid afterwards. A part whose graph has no nodes ends
/// here too, at its first issue.
void
RankExecutor::RemoveEndedParts()
{
    for (size_t i = 0; i < m_parts.size();)
    {
        if (m_parts[i].nodesLeft > 0)
        {
            ++i;
            continue;
        }
        const EpisodeNumber episode = m_parts[i].script.episode;
        // Erasing keeps the parts in the order of their episodes, on which the order of issue
        // rests.
        m_parts.erase(m_parts.begin() + static_cast<std::ptrdiff_t>(i));
        m_services.listener.OnPartEnded(episode);
    }
}

void
RankExecutor::DispatchReady(RankPart& part)
{
    std::sort(part.ready.begin(), part.ready.end());
    for (const uint32_t position : part.ready)
    {
        Dispatch(part, part.script.plan->NodeAt(position));
    }
    part.ready.clear();
}

void
RankExecutor::Dispatch(RankPart& part, uint32_t node)
{
    // Turns at a resource go by (episode, position).
    const auto turn = [&] {
        return NodeToken{part.script.episode, part.script.plan->PositionOf(node)}.Pack();
    };
    // A CUDA stream needs no queue: only one of its nodes is ready at a time (IssuePlan).
    switch (FindRoute(part.Node(node)))
    {
    case NodeRoute::Cpu:
        return ThreadOf(part.Node(node)).Enqueue(turn());
    case NodeRoute::ComputeEngine:
        return m_computeEngine.Enqueue(turn());
    case NodeRoute::Stream:
        return StartTimedNode(part, node);
    case NodeRoute::Delay:
        return StartDelay(part, node);
    case NodeRoute::Memory:
        return part.memoryNodes.push_back(node);
    case NodeRoute::Collective:
        return StartCollective(part, node);
    case NodeRoute::Send:
    case NodeRoute::Receive:
        return StartPointToPoint(part, node);
    case NodeRoute::Untimed:
        break;
    }
    NADI_CHECK(!"an untimed node is never dispatched");
}

void
RankExecutor::StartMemoryNodes(RankPart& part)
{
    // MemoryModel serves accesses in the order of the calls, and wants those of one instant by node
    // id.
    std::sort(part.memoryNodes.begin(),
              part.memoryNodes.end(),
              [&](uint32_t left, uint32_t right)
              { return part.Node(left).id < part.Node(right).id; });
    for (const uint32_t node : part.memoryNodes)
    {
        const ExecutionNode& access = part.Node(node);
        const SimTime now = m_services.loop.Now();
        // An access counts as compute while it goes on (IssuePlan::CountsAsCompute).
        m_meter.BeginAccess(now);
        // The end of an access through the network cannot be foretold: RemoteMemory reports it.
        if (access.isRemote && m_services.remoteMemory != nullptr)
        {
            StartRemoteAccess(part, node);
            continue;
        }
        StartTimer(
            part, node, m_services.memory.Reserve(now, m_rank, SizeOf(access), access.isRemote));
    }
    part.memoryNodes.clear();
}

void
RankExecutor::StartRemoteAccess(RankPart& part, uint32_t node)
{
    using Direction = MemoryAccess::Direction;
    const ExecutionNode& access = part.Node(node);
    part.progress.Issue(node, m_services.loop.Now());
    std::optional<GroupCall> group;
    if (access.isOfGroup)
    {
        group = GroupCall{part.script.CommunicatorOf(access), part.CallOf(node)};
    }
    m_services.remoteMemory->Start(
        {.direction = access.type == NodeType::MemoryLoad ? Direction::Load : Direction::Store,
         .rank = m_rank,
         .size = SizeOf(access),
         .token = part.TokenOf(node),
         .node = NodeId{access.id},
         .name = std::string(part.script.graph->Name(node)),
         .group = group});
}

/// Thread 0 has the nodes that name no thread. Numbers are small, since the reader of traces counts
/// threads as they come (GraphAssembler::ReadQueue). So a list by number is short.
SerialEngine&
RankExecutor::ThreadOf(const ExecutionNode& node)
{
    const uint32_t thread = node.stream;
    if (thread >= m_threads.size())
    {
        m_threads.resize(thread + 1);
    }
    return m_threads[thread];
}

void
RankExecutor::StartNext(SerialEngine& engine)
{
    if (const std::optional<uint64_t> turn = engine.TakeNext())
    {
        const auto [episode, position] = NodeToken::Unpack(*turn);
        RankPart& part = PartOf(episode);
        StartTimedNode(part, part.script.plan->NodeAt(position));
    }
}

void
RankExecutor::StartTimedNode(RankPart& part, uint32_t node)
{
    const SimTime now = m_services.loop.Now();
    const ExecutionNode& timed = part.Node(node);
    if (part.script.plan->CountsAsCompute(FindRoute(timed)))
    {
        m_meter.BeginCompute(now);
    }
    else
    {
        // A host that launches kernels hides no communication, but what it does moves the finish of
        // the rank.
        m_meter.Touch(now);
    }
    StartTimer(part, node, FindEnd(timed, [&] { return now + ComputeDuration(part, timed); }));
}

void
RankExecutor::StartDelay(RankPart& part, uint32_t node)
{
    const SimTime now = m_services.loop.Now();
    // A delay counts as idle time, but it moves the finish of the rank.
    m_meter.Touch(now);
    const SimTime delay = SimTime::FromPs(part.Node(node).durationPs);
    StartTimer(part, node, FindEnd(part.Node(node), [&] { return now + delay; }));
}

/// What `compute` gives; says which node it is that the clock ends too soon for.
template <class Compute>
SimTime
RankExecutor::FindEnd(const ExecutionNode& node, Compute compute) const
{
    try
    {
        return compute();
    }
    catch (const std::overflow_error& error)
    {
        throw std::overflow_error(fmt::format(
            "node {} of rank {} ends too late: {}", node.id, m_rank.value, error.what()));
    }
}

void
RankExecutor::StartTimer(RankPart& part, uint32_t node, SimTime end)
{
    part.progress.Issue(node, m_services.loop.Now());
    // The identity names the node as its trace does: of ends at one instant, no counter decides the
    // order.
    const EventOrder order{EventOrder::Kind::Timer,
                           {m_rank.value, NODE_END_TIMER, part.Node(node).id, part.script.episode}};
    m_services.loop.ScheduleAt(end, order, *this, part.TokenOf(node));
}

void
RankExecutor::StartCollective(RankPart& part, uint32_t node)
{
    const ExecutionNode& call = part.Node(node);
    part.progress.Issue(node, m_services.loop.Now());
    BeginCommunication(part, call);
    // The wait lasts until the last member has called (EndWait), the communication until the
    // collective has ended.
    m_communication.BeginWait(part.TokenOf(node), m_meter.ClockAt(m_services.loop.Now()));
    NADI_CHECK(m_services.collectives != nullptr);
    m_services.collectives->Start({
        .rank = m_rank,
        .communicator = part.script.CommunicatorOf(call),
        .call = part.CallOf(node),
        .type = call.collective,
        .elements = call.size,
        .root = FindRoot(call),
        .token = part.TokenOf(node),
        .node = NodeId{call.id},
        .name = std::string(part.script.graph->Name(node)),
        .recorded = SimTime::FromPs(call.durationPs),
        .waited = part.script.graph->WaitOf(node),
        .isReplayed = m_services.workload.replaysCommunication,
        .splits = part.script.graph->SplitsOf(node),
    });
}

void
RankExecutor::StartPointToPoint(RankPart& part, uint32_t node)
{
    using Direction = PointToPointCall::Direction;
    const ExecutionNode& call = part.Node(node);
    const bool isSend = call.type == NodeType::Send;
    part.progress.Issue(node, m_services.loop.Now());
    m_meter.Touch(m_services.loop.Now());
    // A receive is communication in progress only once its send was issued: BeginReceive says when.
    if (isSend)
    {
        BeginCommunication(part, call);
    }
    NADI_CHECK(m_services.pointToPoint != nullptr);
    m_services.pointToPoint->Start({
        .direction = isSend ? Direction::Send : Direction::Receive,
        .rank = m_rank,
        .peer = part.script.PeerOf(call),
        .tag = part.script.TagOf(call),
        .size = SizeOf(call),
        .token = part.TokenOf(node),
        .node = NodeId{call.id},
        .name = std::string(part.script.graph->Name(node)),
        .recorded = SimTime::FromPs(call.durationPs),
        .waited = part.script.graph->WaitOf(node),
        .isReplayed = m_services.workload.replaysCommunication,
        .kind = KindOfNode(call, m_services.workload.kindsOfTags),
    });
}

void
RankExecutor::CompleteNode(uint64_t token)
{
    const auto [episode, node] = NodeToken::Unpack(token);
    RankPart& part = PartOf(episode);
    NADI_CHECK(part.progress.IsIssued(node));
    const ExecutionNode& done = part.Node(node);
    EndActivity(part, done);
    const NodeRoute route = FindRoute(done);
    if (route == NodeRoute::Cpu)
    {
        ThreadOf(done).Release();
    }
    if (route == NodeRoute::ComputeEngine)
    {
        m_computeEngine.Release();
    }
    Finish(part, node, part.progress.Finish(node));
    RemoveEndedParts();
}

// No token says which receive it is: to the meters, all messages of a rank are one kind (KindOf).
void
RankExecutor::BeginReceive(Bytes size)
{
    const SimTime now = m_services.loop.Now();
    m_meter.BeginCommunication(now);
    m_communication.Begin({}, size, m_meter.ClockAt(now));
}

SimTime
RankExecutor::EndWait(uint64_t token)
{
    return m_communication.EndWait(token, m_meter.ClockAt(m_services.loop.Now()));
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

std::optional<UnfinishedNode>
RankExecutor::FindFirstUnfinished() const
{
    // Parts stand in the order of their episodes. One without nodes is removed when the rank first
    // issues, which an error of another rank may have kept it from.
    const auto found =
        std::ranges::find_if(m_parts, [](const RankPart& part) { return part.nodesLeft > 0; });
    if (found == m_parts.end())
    {
        return std::nullopt;
    }
    const RankPart& part = *found;
    const uint32_t node = part.progress.FindFirstUnfinished().value();
    return UnfinishedNode{NodeId{part.Node(node).id}, std::string(part.script.graph->Name(node))};
}

/// Sends and receives have no communicator. All those of a rank are one kind.
CommunicationKind
RankExecutor::KindOf(const RankPart& part, const ExecutionNode& node) const
{
    if (node.type != NodeType::Collective)
    {
        return {};
    }
    return {node.collective, part.script.CommunicatorOf(node)};
}

void
RankExecutor::BeginCommunication(const RankPart& part, const ExecutionNode& node)
{
    const SimTime now = m_services.loop.Now();
    m_meter.BeginCommunication(now);
    m_communication.Begin(KindOf(part, node), SizeOf(node), m_meter.ClockAt(now));
}

void
RankExecutor::EndCommunication(const RankPart& part, const ExecutionNode& node)
{
    const SimTime now = m_services.loop.Now();
    m_meter.EndCommunication(now);
    m_communication.End(KindOf(part, node), m_meter.ClockAt(now));
}

void
RankExecutor::EndActivity(const RankPart& part, const ExecutionNode& node)
{
    const SimTime now = m_services.loop.Now();
    const NodeRoute route = FindRoute(node);
    if (route == NodeRoute::Memory)
    {
        return m_meter.EndAccess(now);
    }
    if (part.script.plan->CountsAsCompute(route))
    {
        return m_meter.EndCompute(now);
    }
    if (route == NodeRoute::Cpu || route == NodeRoute::Delay)
    {
        return m_meter.Touch(now);
    }
    // What is left is a collective or a message.
    EndCommunication(part, node);
}

void
RankExecutor::Finish(RankPart& part, uint32_t node, SimTime start)
{
    --part.nodesLeft;
    --m_nodesLeft;
    const RankScript& script = part.script;
    if (m_services.observer != nullptr)
    {
        m_services.observer->OnNodeCompleted(
            m_rank, {script.graph, node, script.episode, start, m_services.loop.Now()});
    }
    // In any order: DispatchReady sorts what this makes ready.
    for (const uint32_t child : script.graph->Children(node))
    {
        Unblock(part, child);
    }
    if (const std::optional<uint32_t> successor = script.plan->StreamSuccessor(node))
    {
        Unblock(part, *successor);
    }
}

void
RankExecutor::Unblock(RankPart& part, uint32_t node)
{
    if (part.progress.Unblock(node))
    {
        MakeReady(part, node);
    }
}

SimTime
RankExecutor::ComputeDuration(const RankPart& part, const ExecutionNode& node) const
{
    return m_services.compute.ComputeDuration(
        DescribeWork(m_services.workload, *part.script.graph, node, m_rank), &m_services.tableUse);
}

Bytes
RankExecutor::SizeOf(const ExecutionNode& node) const
{
    return m_services.workload.elementSize * static_cast<int64_t>(node.size);
}

} // namespace nadi
