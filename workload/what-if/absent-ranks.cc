// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/absent-ranks.h"

#include "common/error.h"
#include "workload/what-if/communicator-list.h"
#include "workload/what-if/graph-rewriter.h"
#include "workload/what-if/stand-ins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

constexpr size_t MOST_STAND_INS_SHOWN = 16;

using RankList = std::vector<uint32_t>;

std::string
ListSomeRanks(RankList ranks)
{
    const bool isCut = ranks.size() > MOST_STAND_INS_SHOWN;
    ranks.resize(std::min(ranks.size(), MOST_STAND_INS_SHOWN));
    return fmt::format("{}{}", fmt::join(ranks, ", "), isCut ? ", ..." : "");
}

/// Writes the job in which each rank does what its stand-in does.
class CompletedJobMaker
{
  public:
    CompletedJobMaker(std::vector<ExecutionGraph> graphs, const StandIns& standIns)
        : m_standIns(standIns)
        , m_communicators(standIns.RankCount())
        , m_placeOfGraph(graphs.size())
    {
        std::iota(m_placeOfGraph.begin(), m_placeOfGraph.end(), 0);
        m_job.graphs = std::move(graphs);
    }

    CompletedJob Make()
    {
        for (uint32_t rank = 0; rank < m_standIns.RankCount(); ++rank)
        {
            m_job.graphOfRank.push_back(GraphFor(rank));
            AddCommunicators(rank);
            AddPeers(rank);
        }
        m_job.communicators = m_communicators.All();
        return {.job = std::move(m_job), .placeOfGraph = std::move(m_placeOfGraph), .note = {}};
    }

  private:
    /// That of the recorded rank; with other roots where they are of other groups.
    uint32_t GraphFor(uint32_t rank)
    {
        // A graph names the roots of its collectives as ranks of the job. So ranks share it only
        // where the groups of these collectives are those of the recorded rank.
        const StandIn& standIn = m_standIns.Of(rank);
        const auto isMoved = [&](uint32_t group) { return standIn.offsets.at(group) != 0; };
        if (std::ranges::none_of(m_standIns.ContactsOf(rank).rooted, isMoved))
        {
            return standIn.place;
        }
        m_job.graphs.push_back(ChangeNodes(m_job.graphs[standIn.place],
                                           [&](uint32_t, NodeCopy& copy)
                                           {
                                               ExecutionNode& node = copy.node;
                                               if (NamesRoot(node))
                                               {
                                                   node.peer = static_cast<uint32_t>(
                                                       node.peer + standIn.offsets.at(node.group));
                                               }
                                           }));
        m_placeOfGraph.push_back(standIn.place);
        return static_cast<uint32_t>(m_job.graphs.size() - 1);
    }

    void AddCommunicators(uint32_t rank)
    {
        const uint32_t place = m_standIns.Of(rank).place;
        std::vector<CommunicatorId>& ids = m_job.communicatorOfGroup.emplace_back(
            m_job.graphs[place].GroupNames().size(), CommunicatorId{0});
        // Groups that nobody calls keep the communicator of all ranks.
        for (const auto& [group, recorded] : m_standIns.ContactsOf(rank).groups)
        {
            std::vector<RankId> members;
            for (const uint32_t member : m_standIns.RanksOf(rank, group))
            {
                members.push_back(RankId{member});
            }
            ids[group] = m_communicators.Find(members);
        }
    }

    void AddPeers(uint32_t rank)
    {
        std::vector<RankId>& peers = m_job.rankOfPeer.emplace_back();
        for (const uint32_t peer : m_standIns.ContactsOf(rank).peers)
        {
            // Peers are in ascending order, so the table only grows. Places between them are named
            // by no message.
            peers.resize(peer + 1);
            peers[peer] = RankId{static_cast<uint32_t>(peer + m_standIns.Of(rank).shift)};
        }
    }

    const StandIns& m_standIns;
    CommunicatorList m_communicators;
    std::vector<uint32_t> m_placeOfGraph;
    Workload m_job;
};

[[noreturn]] void
ThrowMisfit(uint32_t rank, const std::string& problem)
{
    throw ConfigError(
        "what-if",
        fmt::format("rank {} was not recorded, and no rank that was does the same: {}; "
                    "give the trace of a rank of its stage and its part of the "
                    "sequence",
                    rank,
                    problem));
}

/// Each group is called by all its members.
void
CheckCalls(const StandIns& standIns)
{
    std::map<RankList, std::set<uint32_t>> callers;
    for (uint32_t rank = 0; rank < standIns.RankCount(); ++rank)
    {
        for (const auto& [group, recorded] : standIns.ContactsOf(rank).groups)
        {
            callers[standIns.RanksOf(rank, group)].insert(rank);
        }
    }
    // Each rank names the members of a group as it sees them. A rank that sees other members adds
    // an entry of its own, and is missing in this one.
    for (const auto& [ranks, calling] : callers)
    {
        const auto silent = std::ranges::find_if(
            ranks, [&calling](uint32_t rank) { return !calling.contains(rank); });
        if (silent != ranks.end())
        {
            ThrowMisfit(*silent,
                        fmt::format("it would not call the group of ranks {}, which rank {} calls",
                                    ListSomeRanks(ranks),
                                    *calling.begin()));
        }
    }
}

/// Who sends to a rank, or receives from it, is one with which that rank has messages too.
void
CheckMessages(const StandIns& standIns)
{
    const auto talks = [&standIns](uint32_t rank, uint32_t other)
    {
        // A peer that was moved along with its rank may lie beyond the last rank of the job.
        if (rank >= standIns.RankCount())
        {
            return false;
        }
        const int64_t recorded = other - standIns.Of(rank).shift;
        return recorded >= 0 &&
               standIns.ContactsOf(rank).peers.contains(static_cast<uint32_t>(recorded));
    };
    for (uint32_t rank = 0; rank < standIns.RankCount(); ++rank)
    {
        for (const uint32_t peer : standIns.ContactsOf(rank).peers)
        {
            const auto other = static_cast<uint32_t>(peer + standIns.Of(rank).shift);
            if (!talks(other, rank))
            {
                ThrowMisfit(other, fmt::format("rank {} has messages with it", rank));
            }
        }
    }
}

/// "3 of 4 ranks were not recorded: 1, 2, 3 do what rank 0 does"
std::string
DescribeStandIns(const RecordedPart& part, const StandIns& standIns)
{
    std::map<uint32_t, RankList> others;
    for (uint32_t rank = 0; rank < standIns.RankCount(); ++rank)
    {
        const uint32_t recorded = part.ranks[standIns.Of(rank).place];
        if (rank != recorded)
        {
            others[recorded].push_back(rank);
        }
    }
    std::vector<std::string> parts;
    for (const auto& [recorded, ranks] : others)
    {
        parts.push_back(fmt::format("{} {} what rank {} does",
                                    ListSomeRanks(ranks),
                                    ranks.size() == 1 ? "does" : "do",
                                    recorded));
    }
    return fmt::format("{} of {} ranks were not recorded: {}",
                       standIns.RankCount() - part.ranks.size(),
                       standIns.RankCount(),
                       fmt::join(parts, "; "));
}

} // namespace

CompletedJob
CompleteJob(const Workload& whole, RecordedPart part, const JobStructure& structure)
{
    const StandIns standIns(whole, part, structure);
    // Both checks need only groups and peers, so what does not fit is refused before graphs are
    // written.
    CheckCalls(standIns);
    CheckMessages(standIns);
    CompletedJob completed = CompletedJobMaker(std::move(part.job.graphs), standIns).Make();
    completed.note = DescribeStandIns(part, standIns);
    return completed;
}

} // namespace nadi
