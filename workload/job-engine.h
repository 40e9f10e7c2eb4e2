// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "system/collective-engine.h"
#include "system/compute-model.h"
#include "system/memory-model.h"
#include "system/operation.h"
#include "system/point-to-point.h"
#include "system/remote-memory/remote-memory.h"
#include "workload/activity.h"
#include "workload/communication-total.h"
#include "workload/episode.h"
#include "workload/rank-metrics.h"
#include "workload/wait-report.h"
#include "workload/workload.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace nadi
{

/// A node that is done.
struct CompletedNode
{
    const ExecutionGraph* graph = nullptr;
    uint32_t index = 0; ///< in the graph
    EpisodeNumber episode = 0;
    SimTime start;
    SimTime end;

    NodeId Id() const
    {
        return NodeId{graph->Node(index).id};
    }
};

/// Told about the nodes of the job; statistics attach here.
class JobObserver
{
  public:
    virtual ~JobObserver() = default;
    virtual void OnNodeCompleted(RankId rank, const CompletedNode& node) = 0;

    /// All members have called the collective of a node of the workload itself: now.
    virtual void OnMembersMet(RankId /*rank*/, uint32_t /*node*/)
    {
    }

    /// Likewise, the collective waited for slots since then, and has them: now.
    virtual void OnSlotsGranted(RankId /*rank*/, uint32_t /*node*/)
    {
    }
};

/// Executes the job: issues every node of every rank once its dependencies are done and its
/// resource is free (docs/design.md, "Issue rules").
///
/// It decides what runs when on each rank, and knows nothing of chunks or messages: it calls the
/// collective engine and the point-to-point layer, and is told by them when an operation is
/// complete.
///
/// Resources of a rank: compute engine (one GPU kernel at a time where the trace names no streams,
/// else one per stream), CPU (one operation at a time of each thread of the host that the trace
/// names), memory. Communication is limited by the collective engine's slots only. Ready nodes that
/// wait for a resource go in order of (priority, node id). Metadata and invalid nodes complete at
/// once. A stream runs its kernels, memory nodes and collectives one after the other, in the static
/// topological order.
///
/// A job may grow while it runs: episodes are graphs that are submitted for some of its ranks. They
/// share the resources of these with what runs already; of ready nodes that wait for one resource,
/// those of earlier episodes go first. The workload itself is episode 0, and a job of training has
/// no other.
class JobEngine : public OperationListener
{
  public:
    struct Context
    {
        EventLoop& loop;
        const Workload& workload;
        const ComputeModel& compute;
        MemoryModel& memory;
    };

    /// Throws ConfigError when the workload asks for what no job can do: a message to a rank that
    /// does not exist, a collective on a group that lacks the caller.
    explicit JobEngine(const Context& context);
    ~JobEngine() override;

    /// Where communication goes. Requires: set once before Start(); outlives the run.
    void SetCommunication(CollectiveEngine& collectives, PointToPoint& pointToPoint);

    /// Where accesses to remote memory go, in place of the context's model.
    /// Requires: set once at most, before Start(); outlives the run.
    void SetRemoteMemory(RemoteMemory& memory);
    void SetObserver(JobObserver& observer);

    /// Requires: before Start().
    void SetActivityObserver(ActivityObserver& observer);

    /// Issues what is ready at time 0; the rest follows from the event loop.
    void Start();

    /// Adds an episode to the job from now on; its number. The listener, if any, is told its end.
    /// Requires: called from an event of the loop, not from inside a listener's call; the
    /// workload's own graphs call no communicator of `episode`.
    EpisodeNumber Submit(Episode episode, EpisodeListener* listener);

    /// Whether all nodes of the episodes that were submitted so far are done.
    bool IsFinished() const;
    uint64_t NodesDone() const;
    uint64_t NodesTotal() const;

    /// Of a rank so far; complete once the job is finished (docs/semantics.md 8).
    RankMetrics Metrics(RankId rank) const;

    /// Who waits for whom, when the job is not finished and `by` has ended it.
    WaitReport MakeWaitReport(StuckBy by = StuckBy::Silence) const;

    /// What the rank communicated so far, by kind.
    std::vector<CommunicationTotal> Communication(RankId rank) const;

    /// What the table of kernels timed so far, on all ranks.
    const TableUse& KernelTableUse() const;

    void OnOperationCompleted(RankId rank, uint64_t token) override;
    void OnMembersMet(const MembersMet& meeting) override;
    void OnSlotsGranted(RankId rank, uint64_t token) override;
    void OnReceiveMatched(const ReceiveMatch& match) override;

  private:
    class Implementation;
    std::unique_ptr<Implementation> m_implementation;
};

} // namespace nadi
