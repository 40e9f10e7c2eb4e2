// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/run-recorder.h"

#include "workload/engine/rank-script.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

// A recorder only watches. No layer learns anything from it, so a run without a recorder would have
// the same times.

constexpr uint64_t MESSAGES_SHOWN_AT_ONCE = 64;

} // namespace

/// The number of nodes is known at the start, except for a cluster that serves: its nodes come with
/// the requests.
RunRecorder::RunRecorder(const EventLoop& loop,
                         const JobEngine& jobs,
                         const CollectiveEngine& collectives,
                         RunProgress& progress)
    : m_loop(loop)
    , m_engine(collectives)
    , m_progress(progress)
{
    m_progress.nodesTotal = jobs.NodesTotal();
}

void
RunRecorder::OnNodeCompleted(RankId rank, const CompletedNode& node)
{
    // The digest is a sum, so the order of the nodes of an instant does not matter.
    m_digest.AddNode(rank, node.Id(), node.start, node.end);
    if (m_timeline != nullptr)
    {
        m_timeline->AddNode(rank, node);
    }
    if (m_times != nullptr)
    {
        m_times->AddNode(rank, node);
    }
    ++m_nodesDone;
    ShowProgress();
}

void
RunRecorder::OnMembersMet(RankId rank, uint32_t node)
{
    if (m_times != nullptr)
    {
        m_times->AddBegin(rank, node, m_loop.Now());
    }
}

void
RunRecorder::OnSlotsGranted(RankId rank, uint32_t node)
{
    if (m_times != nullptr)
    {
        m_times->AddBegin(rank, node, m_loop.Now());
    }
}

void
RunRecorder::OnCollectiveCompleted(const CollectiveRecord& record)
{
    if (record.ranks > 1)
    {
        m_ranAlgorithms.insert(MakeRanAlgorithm(record));
    }
    if (m_keepsCollectives)
    {
        m_collectives.push_back(record);
    }
}

void
RunRecorder::OnMessageCompleted(const Delivery& delivery)
{
    m_digest.AddMessage(delivery);
    if (m_flows)
    {
        const Message& message = delivery.message;
        m_flows->push_back({.source = message.source,
                            .destination = message.destination,
                            .retransmissions = delivery.retransmissions,
                            .stream = message.stream,
                            .size = message.size,
                            .overhead = message.overhead,
                            .sent = delivery.sent,
                            .delivered = delivery.delivered});
    }
    // A run can have a million messages a second, and who looks at the progress sees a few a
    // second.
    if (++m_messages % MESSAGES_SHOWN_AT_ONCE == 0)
    {
        ShowProgress();
    }
}

/// Called when both ends have been called: the timeline draws a receive from then on.
void
RunRecorder::OnReceiveMatched(const PointToPointCall& send,
                              const PointToPointCall& receive,
                              SimTime)
{
    if (m_timeline != nullptr)
    {
        m_timeline->AddMatch(send, receive, m_loop.Now());
    }
    if (m_times != nullptr)
    {
        // Only jobs without episodes are recorded, so the token is the node's index.
        m_times->AddBegin(receive.rank, NodeToken::Unpack(receive.token).node, m_loop.Now());
    }
}

std::vector<CollectiveRecord>
RunRecorder::TakeCollectives()
{
    // Records come as collectives end. No two tie, since the calls of a communicator are numbered.
    const auto order = [](const CollectiveRecord& record)
    { return std::tuple(record.start, record.communicator, record.call); };
    std::sort(m_collectives.begin(),
              m_collectives.end(),
              [&](const CollectiveRecord& a, const CollectiveRecord& b)
              { return order(a) < order(b); });
    return std::exchange(m_collectives, {});
}

std::vector<RanAlgorithm>
RunRecorder::TakeRanAlgorithms()
{
    const std::set<RanAlgorithm> ran = std::exchange(m_ranAlgorithms, {});
    return {ran.begin(), ran.end()};
}

/// Whatever still ties under this order makes equal rows.
std::optional<std::deque<FlowRecord>>
RunRecorder::TakeFlows()
{
    const auto order = [](const FlowRecord& flow)
    {
        return std::tuple(flow.sent,
                          flow.source,
                          flow.destination,
                          flow.stream,
                          flow.delivered,
                          flow.size,
                          flow.overhead,
                          flow.retransmissions);
    };
    if (m_flows)
    {
        // Sorted by the values of the records, so that the order in which the deliveries of one
        // instant come does not show.
        std::sort(m_flows->begin(),
                  m_flows->end(),
                  [&](const FlowRecord& a, const FlowRecord& b) { return order(a) < order(b); });
    }
    return std::exchange(m_flows, std::nullopt);
}

void
RunRecorder::ShowProgress()
{
    // Relaxed: the thread that shows these numbers reads each by itself, and it does not matter if
    // one is newer than another.
    m_progress.timePs.store(m_loop.Now().Ps(), std::memory_order_relaxed);
    m_progress.nodesDone.store(m_nodesDone, std::memory_order_relaxed);
    m_progress.events.store(m_loop.EventCount(), std::memory_order_relaxed);
    if (m_serving != nullptr)
    {
        m_progress.requestsDone.store(m_serving->Served(), std::memory_order_relaxed);
    }
    const CollectiveProgress& collectives = m_engine.Progress();
    m_progress.nodesInCollectives.store(collectives.members, std::memory_order_relaxed);
    m_progress.collectivesShare.store(collectives.Share(), std::memory_order_relaxed);
}

} // namespace nadi
