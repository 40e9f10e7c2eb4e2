// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-engine.h"
#include "system/delivery-switch.h"
#include "system/library/communication-library.h"
#include "system/point-to-point.h"
#include "tests/support/delay-network.h"
#include "tests/support/manual-event-loop.h"
#include "workload/execution-graph-builder.h"
#include "workload/job-engine.h"

#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <vector>

namespace nadi::test
{

/// When a node was issued and done, in nanoseconds.
struct NodeSpan
{
    double start = 0;
    double end = 0;

    bool operator==(const NodeSpan&) const = default;
};

std::ostream& operator<<(std::ostream& stream, const NodeSpan& span);

/// A job with everything below it but a real network: messages take DELAY_NS, whatever their size,
/// and cost nothing at their end. Collectives are one chunk, by the algorithms of a switch. Local
/// memory: 100 ns and 1 byte/ns.
class JobBench
    : private JobObserver
    , private OperationListener
    , private EventHandler
{
  public:
    static constexpr int64_t DELAY_NS = 1000;

    explicit JobBench(Workload workload);

    /// Calls `action` at an instant of the run, after what the instant's first round completes.
    void At(int64_t ns, std::function<void(JobEngine&)> action);

    /// Until nothing happens any more.
    void Run();

    const JobEngine& Engine() const
    {
        return *m_engine;
    }

    /// Events of one round that nothing but the order of scheduling told apart.
    uint64_t TieCount() const
    {
        return m_loop.TieCount();
    }

    /// Requires: the node is done.
    NodeSpan Span(uint32_t rank, uint64_t node) const;

    /// Of all ranks' nodes, in the order of their completion.
    const std::vector<std::pair<uint32_t, uint64_t>>& Completions() const
    {
        return m_completions;
    }

  private:
    void OnNodeCompleted(RankId rank, const CompletedNode& node) override;

    void OnEvent(uint64_t action) override;
    void OnOperationCompleted(RankId rank, uint64_t token) override;
    void OnMembersMet(const MembersMet& meeting) override;
    void OnReceiveMatched(const ReceiveMatch& match) override;

    Workload m_workload;
    ManualEventLoop m_loop;
    DelayNetwork m_network;
    std::vector<Dimension> m_stack;
    SystemOptions m_options;
    ComputeModel m_compute;
    MemoryModel m_memory;
    std::unique_ptr<JobEngine> m_engine;
    std::unique_ptr<InstalledLibrary> m_library;
    CollectiveEngine m_collectives;
    PointToPoint m_pointToPoint;
    DeliverySwitch m_switch;
    std::vector<std::function<void(JobEngine&)>> m_actions;
    std::map<std::pair<uint32_t, uint64_t>, NodeSpan> m_spans;
    std::vector<std::pair<uint32_t, uint64_t>> m_completions;
};

/// A job of one graph per rank, all in the communicator of all ranks.
Workload MakeWorkload(std::vector<ExecutionGraph> graphs);

std::vector<ExecutionGraph> BuildAll(std::vector<ExecutionGraphBuilder>& builders);

/// A compute node of `ns`.
ExecutionNode MakeCompute(uint64_t id, int64_t ns);

ExecutionNode MakeCollective(uint64_t id, CollectiveType type, uint64_t size);

ExecutionNode MakeSend(uint64_t id, uint32_t to, uint64_t tag);

ExecutionNode MakeReceive(uint64_t id, uint32_t from, uint64_t tag);

} // namespace nadi::test
