// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/wait-report-builder.h"

#include "workload/engine/wait-causes.h"
#include "workload/engine/wait-text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace nadi
{

namespace
{

// How many nodes of a rank, and how many ranks that one waits for, are described in full.
constexpr size_t MOST_DESCRIBED = 3;

/// Why a rank has nodes left, though none of them waits for anybody.
std::string
DescribeBlocked(StuckBy by)
{
    // What ends the run may be of a few ranks only. The run ends at once, and the others have no
    // chance to go on.
    switch (by)
    {
    case StuckBy::Mismatch:
        return "it waits for no rank; the calls that do not match ended the run before it was done";
    case StuckBy::Network:
        return "it waits for no rank; the failure of the network ended the run before it was done";
    case StuckBy::Silence:
        break;
    }
    // This should not happen. The report says so rather than leave the rank out.
    return "it was not issued, though no other node of the rank is under way";
}

} // namespace

// Three steps make the report. What the layers below have pending says in which nodes ranks wait,
// for what, and for which ranks. Ranks with nodes left that nothing pending explains get an entry
// that says so. Then Build() turns the entries into texts, and into the graph in which it looks for
// a circle.
WaitReportBuilder::WaitReportBuilder(const StuckJob& job)
    : m_job(job)
    , m_waits(job.workload.RankCount())
{
    for (const PendingCollective& collective : job.collectives)
    {
        AddCollective(collective);
    }
    for (const PendingPointToPoint& pending : job.pointToPoint)
    {
        AddPointToPoint(pending);
    }
    for (const PendingMemoryAccess& pending : job.memory)
    {
        AddMemoryAccess(pending);
    }
    AddBlockedRanks();
}

void
WaitReportBuilder::AddCollective(const PendingCollective& collective)
{
    const std::string label = DescribeCollective(collective, m_job.workload.communicators);
    for (const PendingCollective::Member& member : collective.arrived)
    {
        if (member.isComplete)
        {
            continue;
        }
        // Before its start, a collective lacks callers, or slots and places on switches: the same
        // for all that wait. Afterwards each member waits for something of its own.
        Wait wait{member.name, label + ": ", member.waitsForRanks};
        if (collective.hasStarted)
        {
            wait.text += member.waitsFor;
        }
        else if (collective.missing.empty())
        {
            wait.text += "all ranks have called it, but it could not start";
        }
        else
        {
            wait.text += fmt::format("{} {} not called it",
                                     DescribeRanks(collective.missing),
                                     collective.missing.size() == 1 ? "has" : "have");
            wait.ranks = collective.missing;
        }
        m_waits[member.rank.value].emplace(member.node, std::move(wait));
    }
}

void
WaitReportBuilder::AddPointToPoint(const PendingPointToPoint& pending)
{
    const PointToPointCall& call = pending.call;
    const bool isSend = call.direction == PointToPointCall::Direction::Send;
    Wait wait{call.name, {}, {}};
    wait.text = fmt::format(
        "{} rank {} with tag {}: ", isSend ? "send to" : "receive from", call.peer.value, call.tag);
    // A matched receive has its send, and a send needs no receive to travel. So it is the network
    // that does not deliver, and the wait is for no rank.
    if (isSend || pending.isMatched)
    {
        wait.text += "the message has not arrived";
    }
    else
    {
        wait.text += fmt::format("rank {} has not sent it", call.peer.value);
        wait.ranks = {call.peer};
    }
    m_waits[call.rank.value].emplace(call.node, std::move(wait));
}

void
WaitReportBuilder::AddMemoryAccess(const PendingMemoryAccess& pending)
{
    const MemoryAccess& access = pending.access;
    if (pending.group)
    {
        return AddGroupAccess(access, *pending.group);
    }
    const bool isLoad = access.direction == MemoryAccess::Direction::Load;
    const std::string text = fmt::format("{} {}: {} of {} slices {} not {}",
                                         isLoad ? "load from" : "store to",
                                         pending.memory.empty() ? "remote memory" : pending.memory,
                                         pending.missing,
                                         pending.slices,
                                         pending.missing == 1 ? "has" : "have",
                                         isLoad ? "arrived" : "been written");
    // The wait is for a memory, and so for no rank.
    m_waits[access.rank.value].emplace(access.node, Wait{access.name, text, {}});
}

void
WaitReportBuilder::AddGroupAccess(const MemoryAccess& access,
                                  const PendingMemoryAccess::Group& group)
{
    const bool isLoad = access.direction == MemoryAccess::Direction::Load;
    const CommunicatorId id = access.group->communicator;
    Wait wait{access.name, {}, group.missing};
    wait.text = fmt::format(
        "{} #{} of communicator {}: ", isLoad ? "load" : "store", access.group->call, id.value);
    // Nothing moves before all members have made the access. Afterwards the wait is for memories,
    // and so for no rank.
    if (!group.missing.empty())
    {
        wait.text += fmt::format("{} {} not made it",
                                 DescribeRanks(group.missing),
                                 group.missing.size() == 1 ? "has" : "have");
    }
    else
    {
        wait.text += fmt::format("{} {}",
                                 isLoad ? "slices have not arrived from" : "not written by",
                                 fmt::join(group.waitsFor, ", "));
    }
    m_waits[access.rank.value].emplace(access.node, std::move(wait));
}

void
WaitReportBuilder::AddBlockedRanks()
{
    for (uint32_t rank = 0; rank < m_waits.size(); ++rank)
    {
        if (m_job.nodesLeft[rank] == 0 || !m_waits[rank].empty())
        {
            continue;
        }
        const UnfinishedNode& node = m_job.firstUnfinished[rank].value();
        m_waits[rank].emplace(node.id, Wait{node.name, DescribeBlocked(m_job.by), {}});
    }
}

WaitReport
WaitReportBuilder::Build()
{
    WaitReport report;
    for (uint32_t rank = 0; rank < m_waits.size(); ++rank)
    {
        if (!m_waits[rank].empty())
        {
            report.ranks.push_back(DescribeRank(RankId{rank}));
        }
    }
    AddSwitches(report);
    report.cycle = FindShortestCycle(MakeWaitForGraph());
    // What the workload's own traces lack says nothing of episodes.
    report.causes = m_job.hasEpisodes ? std::vector<std::string>() : FindWaitCauses(m_job);
    return report;
}

// The circle of the report consists of ranks, so switches are listed beside it.
void
WaitReportBuilder::AddSwitches(WaitReport& report) const
{
    for (const PendingCollective& collective : m_job.collectives)
    {
        for (const PendingCollective::Switch& waiting : collective.switches)
        {
            report.switches.push_back(
                {.name = waiting.name,
                 .waitsFor = DescribeCollective(collective, m_job.workload.communicators),
                 .waitsForNames = waiting.waitsFor});
        }
    }
}

WaitForGraph
WaitReportBuilder::MakeWaitForGraph() const
{
    WaitForGraph graph(m_waits.size());
    for (size_t rank = 0; rank < m_waits.size(); ++rank)
    {
        std::set<RankId> ranks;
        for (const auto& [node, wait] : m_waits[rank])
        {
            ranks.insert(wait.ranks.begin(), wait.ranks.end());
        }
        graph[rank].assign(ranks.begin(), ranks.end());
    }
    return graph;
}

WaitingRank
WaitReportBuilder::DescribeRank(RankId rank) const
{
    const auto& waits = m_waits[rank.value];
    // The map is sorted by node id, so the report names the nodes that come first in the trace's
    // numbering.
    const auto& [firstNode, firstWait] = *waits.begin();
    WaitingRank waiting{rank, firstNode, firstWait.name, {}, {}, m_job.nodesLeft[rank.value]};
    std::set<RankId> ranks;
    size_t described = 0;
    for (const auto& [node, wait] : waits)
    {
        ranks.insert(wait.ranks.begin(), wait.ranks.end());
        if (described < MOST_DESCRIBED)
        {
            const std::string place =
                described == 0 ? "" : "; in " + DescribeNode(node, wait.name) + ", ";
            waiting.waitsFor += place + wait.text + DescribeDoings(wait.ranks);
        }
        ++described;
    }
    if (described > MOST_DESCRIBED)
    {
        waiting.waitsFor += fmt::format("; and in {} more nodes", described - MOST_DESCRIBED);
    }
    waiting.waitsForRanks.assign(ranks.begin(), ranks.end());
    return waiting;
}

std::string
WaitReportBuilder::DescribeDoings(const std::vector<RankId>& ranks) const
{
    std::vector<std::string> doings;
    // A few only: a collective may lack thousands of ranks.
    for (size_t i = 0; i < std::min(ranks.size(), MOST_DESCRIBED); ++i)
    {
        doings.push_back(DescribeDoing(ranks[i]));
    }
    return doings.empty() ? "" : fmt::format(" ({})", fmt::join(doings, "; "));
}

std::string
WaitReportBuilder::DescribeDoing(RankId rank) const
{
    const auto& waits = m_waits[rank.value];
    // AddBlockedRanks has given an entry to each rank that has nodes left.
    if (waits.empty())
    {
        return fmt::format("rank {} has finished", rank.value);
    }
    const auto& [node, wait] = *waits.begin();
    return fmt::format("rank {} waits in {}", rank.value, DescribeNode(node, wait.name));
}

} // namespace nadi
