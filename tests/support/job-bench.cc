// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/job-bench.h"

#include "workload/generators/uniform-workload.h"

#include <limits>
#include <utility>

namespace nadi::test
{

namespace
{

SystemOptions
MakeBenchOptions()
{
    SystemOptions options;
    options.endpointDelay = SimTime();
    options.scheduling.chunks = 1;
    for (const CollectiveType type : AllCollectiveTypes())
    {
        options.algorithms[type] = {{DefaultAlgorithm(type, *MakeShape("switch", ""))}, false};
    }
    return options;
}

MemoryOptions
MakeMemoryOptions()
{
    MemoryOptions options;
    options.local = {SimTime::FromNs(100), Bandwidth::FromBytesPerSecond(1'000'000'000)};
    options.remote = {SimTime::FromNs(0), Bandwidth::FromBytesPerSecond(1'000'000'000)};
    options.sharing = MemoryOptions::Sharing::All;
    return options;
}

} // namespace

std::ostream&
operator<<(std::ostream& stream, const NodeSpan& span)
{
    return stream << span.start << ".." << span.end << " ns";
}

JobBench::JobBench(Workload workload)
    : m_workload(std::move(workload))
    , m_network(m_loop, SimTime::FromNs(DELAY_NS))
    , m_stack{{"switch",
               m_workload.RankCount(),
               Bandwidth::FromBytesPerSecond(1'000'000'000),
               SimTime::FromNs(DELAY_NS)}}
    , m_options(MakeBenchOptions())
    , m_compute(ComputeOptions{})
    , m_memory(MakeMemoryOptions(), m_workload.RankCount())
    , m_engine(
          std::make_unique<JobEngine>(JobEngine::Context{m_loop, m_workload, m_compute, m_memory}))
    , m_library(InstallLibrary({m_options, m_stack}))
    , m_collectives(
          {m_loop, m_network, m_stack, m_workload.communicators, m_options, *m_library, *this})
    , m_pointToPoint(
          m_loop, m_network, m_library->PointToPointProtocol(), m_workload.RankCount(), *this)
    , m_switch(m_collectives, m_pointToPoint)
{
    m_network.SetListener(m_switch);
    m_engine->SetCommunication(m_collectives, m_pointToPoint);
    m_engine->SetObserver(*this);
}

void
JobBench::Run()
{
    m_engine->Start();
    m_loop.Run();
}

NodeSpan
JobBench::Span(uint32_t rank, uint64_t node) const
{
    return m_spans.at({rank, node});
}

void
JobBench::OnNodeCompleted(RankId rank, const CompletedNode& node)
{
    m_spans[{rank.value, node.Id().value}] = {node.start.Ns(), node.end.Ns()};
    m_completions.emplace_back(rank.value, node.Id().value);
}

void
JobBench::At(int64_t ns, std::function<void(JobEngine&)> action)
{
    constexpr uint64_t AFTER_ALL = std::numeric_limits<uint64_t>::max();
    const EventOrder order{EventOrder::Kind::Timer, {AFTER_ALL, AFTER_ALL, m_actions.size(), 0}};
    m_loop.ScheduleAt(SimTime::FromNs(ns), order, *this, m_actions.size());
    m_actions.push_back(std::move(action));
}

void
JobBench::OnEvent(uint64_t action)
{
    m_actions[action](*m_engine);
}

void
JobBench::OnOperationCompleted(RankId rank, uint64_t token)
{
    m_engine->OnOperationCompleted(rank, token);
}

void
JobBench::OnMembersMet(const MembersMet& meeting)
{
    m_engine->OnMembersMet(meeting);
}

void
JobBench::OnReceiveMatched(const ReceiveMatch& match)
{
    m_engine->OnReceiveMatched(match);
}

Workload
MakeWorkload(std::vector<ExecutionGraph> graphs)
{
    const auto ranks = static_cast<uint32_t>(graphs.size());
    Workload workload = MakeEmptyWorkload(ranks);
    workload.graphs = std::move(graphs);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        workload.graphOfRank.push_back(rank);
        workload.communicatorOfGroup[rank].resize(workload.graphs[rank].GroupNames().size(),
                                                  CommunicatorId{0});
    }
    return workload;
}

std::vector<ExecutionGraph>
BuildAll(std::vector<ExecutionGraphBuilder>& builders)
{
    std::vector<ExecutionGraph> graphs;
    for (ExecutionGraphBuilder& builder : builders)
    {
        graphs.push_back(builder.Build());
    }
    return graphs;
}

ExecutionNode
MakeCompute(uint64_t id, int64_t ns)
{
    return {.id = id, .durationPs = SimTime::FromNs(ns).Ps(), .type = NodeType::Compute};
}

ExecutionNode
MakeCollective(uint64_t id, CollectiveType type, uint64_t size)
{
    return {.id = id, .size = size, .type = NodeType::Collective, .collective = type};
}

ExecutionNode
MakeSend(uint64_t id, uint32_t to, uint64_t tag)
{
    return {.id = id, .size = 64, .tag = tag, .peer = to, .type = NodeType::Send};
}

ExecutionNode
MakeReceive(uint64_t id, uint32_t from, uint64_t tag)
{
    return {.id = id, .size = 64, .tag = tag, .peer = from, .type = NodeType::Receive};
}

} // namespace nadi::test
