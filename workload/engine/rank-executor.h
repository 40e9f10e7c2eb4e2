// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "system/collective-engine.h"
#include "system/compute-model.h"
#include "system/kernels/table-use.h"
#include "system/memory-model.h"
#include "system/point-to-point.h"
#include "system/remote-memory/remote-memory.h"
#include "workload/engine/activity-meter.h"
#include "workload/engine/communication-meter.h"
#include "workload/engine/node-route.h"
#include "workload/engine/rank-part.h"
#include "workload/engine/rank-script.h"
#include "workload/engine/serial-engine.h"
#include "workload/job-engine.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace nadi
{

/// Told by the executors of ranks what has ended.
class RankListener
{
  public:
    virtual ~RankListener() = default;
    /// The time of a node has passed. Called from the event loop.
    virtual void OnNodeEnd(RankId rank, uint64_t token) = 0;
    /// The rank has come to a milestone.
    virtual void OnMilestone(const MilestoneReached& milestone) = 0;
    /// All nodes of the rank's part of an episode are done.
    virtual void OnPartEnded(EpisodeNumber episode) = 0;
};

/// What the executors of all ranks share. Everything outlives the executors; the pointers are set
/// before the first node is issued (communication may stay absent when no node needs it).
struct ExecutionServices
{
    EventLoop& loop;
    const Workload& workload;
    const ComputeModel& compute;
    MemoryModel& memory;
    RankListener& listener;
    CollectiveEngine* collectives = nullptr;
    PointToPoint* pointToPoint = nullptr;
    RemoteMemory* remoteMemory = nullptr; ///< none: `memory` says how long remote accesses take
    JobObserver* observer = nullptr;
    TableUse tableUse = {}; ///< what the table of kernels timed, if there is one
};

/// Executes what one rank has to do: its graph of the workload, and its parts of the episodes that
/// are submitted meanwhile. All of them share the rank's resources.
///
/// Life of a node: blocked, ready (its last blocker is done), issued (its resource is free), done.
/// Completions only make nodes ready; IssueReady() issues them, so that what becomes ready in one
/// round of an instant is issued in order of (episode, priority, node id), whatever completed
/// first. If a completion issued at once, the first of two nodes that end at one instant would
/// decide who gets a resource.
class RankExecutor : private EventHandler
{
  public:
    RankExecutor(RankId rank, ExecutionServices& services);

    RankExecutor(const RankExecutor&) = delete;
    RankExecutor& operator=(const RankExecutor&) = delete;

    /// Adds what is to be executed. Requires: an IssueReady follows at this instant.
    /// Requires: episodes begin in the order of their numbers.
    void Begin(const RankScript& script);

    /// Issues all that is ready and whose resource is free. Nodes without time complete here and
    /// so do those that they free, one after the other.
    /// Order: by (episode, priority, node id); memory is accessed by (episode, node id), after all
    /// else was issued but what waits for the CPU or the compute engine.
    void IssueReady();

    /// An issued node is done. `token`: NodeToken.
    void CompleteNode(uint64_t token);

    /// A receive of this rank has met its send of `size`: both were issued now at the latest.
    void BeginReceive(Bytes size);

    /// All members have called the collective that the node of `token` calls. Returns how long this
    /// rank waited for them: see CommunicationMeter.
    SimTime EndWait(uint64_t token);

    /// Of all episodes.
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

    /// Of the first episode with nodes left, the first node in the file that is not done.
    std::optional<UnfinishedNode> FindFirstUnfinished() const;

  private:
    void OnEvent(uint64_t token) override;
    RankPart& PartOf(EpisodeNumber episode);
    std::vector<uint32_t> CountCallsBefore(const RankScript& script) const;
    void CountCalls(const RankScript& script);
    void MakeReady(RankPart& part, uint32_t node);
    void CompleteUntimed(RankPart& part);
    void RemoveEndedParts();
    void DispatchReady(RankPart& part);
    void Dispatch(RankPart& part, uint32_t node);
    void StartMemoryNodes(RankPart& part);
    void StartRemoteAccess(RankPart& part, uint32_t node);
    void StartNext(SerialEngine& engine);
    SerialEngine& ThreadOf(const ExecutionNode& node);
    void StartTimedNode(RankPart& part, uint32_t node);
    void StartDelay(RankPart& part, uint32_t node);
    template <class Compute>
    SimTime FindEnd(const ExecutionNode& node, Compute compute) const;
    void StartTimer(RankPart& part, uint32_t node, SimTime end);
    void StartCollective(RankPart& part, uint32_t node);
    void StartPointToPoint(RankPart& part, uint32_t node);
    void EndActivity(const RankPart& part, const ExecutionNode& node);
    CommunicationKind KindOf(const RankPart& part, const ExecutionNode& node) const;
    void BeginCommunication(const RankPart& part, const ExecutionNode& node);
    void EndCommunication(const RankPart& part, const ExecutionNode& node);
    void Finish(RankPart& part, uint32_t node, SimTime start);
    void Unblock(RankPart& part, uint32_t node);

    SimTime ComputeDuration(const RankPart& part, const ExecutionNode& node) const;
    Bytes SizeOf(const ExecutionNode& node) const;

    RankId m_rank;
    ExecutionServices& m_services;
    std::vector<RankPart> m_parts; // with nodes left, by episode
    uint64_t m_nodesLeft = 0;
    std::map<CommunicatorId, uint32_t> m_callsBegun; // by submitted episodes

    SerialEngine m_computeEngine;
    std::vector<SerialEngine> m_threads; // of the host, by ExecutionNode::stream

    ActivityMeter m_meter;
    CommunicationMeter m_communication;
};

} // namespace nadi
