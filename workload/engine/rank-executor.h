// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "system/collective-engine.h"
#include "system/compute-model.h"
#include "system/memory-model.h"
#include "system/point-to-point.h"
#include "system/remote-memory/remote-memory.h"
#include "workload/engine/activity-meter.h"
#include "workload/engine/communication-meter.h"
#include "workload/engine/job-plan.h"
#include "workload/engine/node-route.h"
#include "workload/engine/rank-progress.h"
#include "workload/engine/serial-engine.h"
#include "workload/job-engine.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// What the executors of all ranks share. Everything outlives the executors; the pointers are set
/// before the first node is issued (communication may stay absent when no node needs it).
struct ExecutionServices
{
    EventLoop& loop;
    const Workload& workload;
    const ComputeModel& compute;
    MemoryModel& memory;
    const JobPlan& plan;
    EventHandler& timers; ///< called with TimerToken::Pack when a timed node ends
    CollectiveEngine* collectives = nullptr;
    PointToPoint* pointToPoint = nullptr;
    RemoteMemory* remoteMemory = nullptr; ///< none: `memory` says how long remote accesses take
    JobObserver* observer = nullptr;
};

/// Names the node of a rank that a timer belongs to.
struct TimerToken
{
    RankId rank;
    uint32_t node = 0;

    constexpr uint64_t Pack() const
    {
        return (uint64_t{rank.value} << 32) | node;
    }

    static constexpr TimerToken Unpack(uint64_t packed)
    {
        return {RankId{static_cast<uint32_t>(packed >> 32)}, static_cast<uint32_t>(packed)};
    }
};

/// Executes the trace of one rank.
///
/// Life of a node: blocked, ready (its last blocker is done), issued (its resource is free), done.
/// Completions only make nodes ready; IssueReady() issues them, so that what becomes ready in one
/// round of an instant is issued in order of (priority, node id), whatever completed first. If a
/// completion issued at once, the first of two nodes that end at one instant would decide who gets
/// a resource.
class RankExecutor
{
  public:
    RankExecutor(RankId rank, ExecutionServices& services);

    /// Issues all that is ready and whose resource is free. Nodes without time complete here and
    /// so do those that they free, one after the other.
    /// Order: by (priority, node id); memory is accessed by node id, after all else was issued but
    /// what waits for the CPU or the compute engine.
    void IssueReady();

    /// An issued node is done. `node` is its index in the graph.
    void CompleteNode(uint32_t node);

    /// A receive of this rank has met its send of `size`: both were issued now at the latest.
    void BeginReceive(Bytes size);

    /// All members have called the collective that `node` calls. Returns how long this rank waited
    /// for them: see CommunicationMeter.
    SimTime EndWait(uint32_t node);

    uint64_t NodesLeft() const
    {
        return m_nodesLeft;
    }

    /// Up to now while nodes are left, else up to the end of the last one.
    RankMetrics Metrics() const;

    /// By kind, of the same time.
    std::vector<CommunicationTotal> Communication() const;

    /// See ActivityMeter.
    void ReportActivityTo(ActivityObserver& observer)
    {
        m_meter.ReportTo(observer, m_rank);
    }

    /// The first node in the file that is not done.
    std::optional<uint32_t> FindFirstUnfinished() const
    {
        return m_progress.FindFirstUnfinished();
    }

  private:
    void MakeReady(uint32_t node);
    void CompleteUntimed();
    void Dispatch(uint32_t node);
    void StartMemoryNodes();
    void StartRemoteAccess(uint32_t node);
    void StartNext(SerialEngine& engine);
    SerialEngine& ThreadOf(uint32_t node);
    void StartTimedNode(uint32_t node);
    void StartDelay(uint32_t node);
    template <class Compute>
    SimTime FindEnd(uint32_t node, Compute compute) const;
    void StartTimer(uint32_t node, SimTime end);
    void StartCollective(uint32_t node);
    void StartPointToPoint(uint32_t node);
    void EndActivity(uint32_t node, NodeRoute route);
    CommunicationKind KindOf(const ExecutionNode& node) const;
    void BeginCommunication(const ExecutionNode& node);
    void EndCommunication(const ExecutionNode& node);
    void Finish(uint32_t node, SimTime start);
    void Unblock(uint32_t node);

    SimTime ComputeDuration(const ExecutionNode& node) const;
    Bytes SizeOf(const ExecutionNode& node) const;

    RankId m_rank;
    ExecutionServices& m_services;
    const ExecutionGraph& m_graph;
    const IssuePlan& m_plan;
    RankProgress m_progress;
    uint64_t m_nodesLeft;

    std::vector<uint32_t> m_ready;        // positions of timed nodes and calls, to be issued
    std::vector<uint32_t> m_readyUntimed; // nodes
    std::vector<uint32_t> m_memoryNodes;  // of one IssueReady
    SerialEngine m_computeEngine;
    std::vector<SerialEngine> m_threads; // of the host, by ExecutionNode::stream

    ActivityMeter m_meter;
    CommunicationMeter m_communication;
};

} // namespace nadi
