// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/group-resolver.h"

#include "common/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace nadi
{

namespace
{

constexpr size_t MOST_RANKS_SHOWN = 16;

/// "{0, 1, 5}"
std::string
ListRanks(std::vector<uint32_t> ranks)
{
    const bool isCut = ranks.size() > MOST_RANKS_SHOWN;
    ranks.resize(std::min(ranks.size(), MOST_RANKS_SHOWN));
    return fmt::format("{{{}{}}}", fmt::join(ranks, ", "), isCut ? ", ..." : "");
}

std::string
ListRanks(const Communicator& communicator)
{
    std::vector<uint32_t> ranks;
    for (const RankId rank : communicator.ranks)
    {
        ranks.push_back(rank.value);
    }
    return ListRanks(std::move(ranks));
}

/// An operator of the host may name a group, but calls nothing.
bool
CallsThatGroup(const ExecutionNode& node, uint32_t group)
{
    const bool isCall = node.type == NodeType::Collective || node.isOfGroup;
    return isCall && !node.isCpu && node.group == group;
}

/// What was overlooked, behind the note of a group that is defined nowhere.
std::string
TellUnread(const std::optional<std::string>& groupsFile)
{
    return groupsFile ? fmt::format("; {} lies beside the traces and was not read: name it as the "
                                    "groups file",
                                    *groupsFile)
                      : "";
}

const char*
NameCall(const ExecutionNode& node)
{
    return node.type == NodeType::Collective ? "a collective" : "an access to remote memory";
}

} // namespace

GroupResolver::GroupResolver(const Workload& workload,
                             const ProcessGroups& groupsFile,
                             const GroupsOfGraphs& ownGroups,
                             TraceListener& listener)
    : m_workload(workload)
    , m_groupsFile(groupsFile)
    , m_ownGroups(ownGroups)
    , m_listener(listener)
    , m_communicators(workload.RankCount())
{
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        for (const std::string& name : workload.GraphOf(RankId{rank}).GroupNames())
        {
            // For all ranks before the first name is resolved: an undefined name means all its
            // users.
            m_users[name].push_back(rank);
        }
    }
}

void
GroupResolver::Resolve(Workload& workload)
{
    NADI_CHECK(&workload == &m_workload);
    workload.communicatorOfGroup.assign(workload.RankCount(), {});
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        // By rank, although ranks share graphs: each rank is to be a member of the groups it calls.
        const std::vector<std::string>& names = workload.GraphOf(RankId{rank}).GroupNames();
        for (uint32_t group = 0; group < names.size(); ++group)
        {
            const CommunicatorId id = FindCommunicator(RankId{rank}, names[group]);
            CheckMembership(RankId{rank}, group, id);
            workload.communicatorOfGroup[rank].push_back(id);
        }
    }
    workload.communicators = m_communicators.Take();
    NoteUndefined(workload.notes);
}

void
GroupResolver::NoteUndefined(std::vector<std::string>& notes) const
{
    if (m_undefined.empty())
    {
        return;
    }
    const std::string unread =
        m_groupsFile.empty() ? TellUnread(FindGroupsBeside(m_workload.graphs.front().Source()))
                             : "";
    for (const std::string& name : m_undefined)
    {
        notes.push_back(fmt::format("group \"{}\" is defined nowhere: taken as the ranks whose "
                                    "traces use it, {}{}",
                                    name,
                                    ListRanks(m_users.at(name)),
                                    unread));
    }
}

CommunicatorId
GroupResolver::FindCommunicator(RankId rank, const std::string& name)
{
    // All ranks: the builder of the graph takes "0" and "0.0" for the empty name.
    if (name.empty())
    {
        return m_communicators.Find({});
    }
    // Before the trace's own definition: the file is what the user says of this job.
    const auto inFile = m_groupsFile.find(name);
    if (inFile != m_groupsFile.end())
    {
        return m_communicators.Find(inFile->second);
    }
    const ProcessGroups& own = m_ownGroups[m_workload.graphOfRank[rank.value]];
    const auto inTrace = own.find(name);
    if (inTrace != own.end())
    {
        // Lists of the groups file were checked when it was read. Lists of traces are checked only
        // here, where they are used, since a trace may define groups that none of its nodes names.
        return m_communicators.Find(CheckRanks(rank, name, inTrace->second));
    }
    m_undefined.insert(name);
    return m_communicators.Find(m_users.at(name));
}

void
GroupResolver::CheckMembership(RankId rank, uint32_t group, CommunicatorId id) const
{
    if (m_communicators.Contains(id, rank))
    {
        return;
    }
    // A trace may name a group without calling a collective on it; only a call is an error.
    const ExecutionGraph& graph = m_workload.GraphOf(rank);
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        if (CallsThatGroup(node, group))
        {
            const std::string text =
                fmt::format("is {} in group \"{}\" {}, which rank {} is not in",
                            NameCall(node),
                            graph.GroupNames()[group],
                            ListRanks(m_communicators.Get(id)),
                            rank.value);
            m_listener.OnProblem(
                {.where = graph.Source(),
                 .text = text,
                 .message = fmt::format(
                     "node {} \"{}\" of rank {} {}", node.id, graph.Name(index), rank.value, text),
                 .nodes = {{node.id, std::string(graph.Name(index))}}});
        }
    }
}

/// Those of the ranks that a trace lists for a group that are in the job, each once.
std::vector<uint32_t>
GroupResolver::CheckRanks(RankId rank,
                          const std::string& name,
                          const std::vector<uint32_t>& list) const
{
    // Where the listener lets the problem pass, the group keeps its other ranks.
    const auto refuse = [&](uint32_t member, const std::string& problem)
    {
        const std::string text =
            fmt::format("group \"{}\" of the trace names rank {}{}", name, member, problem);
        m_listener.OnProblem({.where = m_workload.GraphOf(rank).Source(),
                              .text = text,
                              .message = text,
                              .nodes = {}});
    };
    std::vector<uint32_t> kept;
    std::set<uint32_t> seen;
    for (const uint32_t member : list)
    {
        const bool isOutside = member >= m_workload.RankCount();
        const bool isFirst = seen.insert(member).second;
        if (isOutside)
        {
            refuse(member, fmt::format("; the job has ranks 0..{}", m_workload.RankCount() - 1));
        }
        else if (!isFirst)
        {
            refuse(member, " twice; each rank can be in a group once");
        }
        else
        {
            kept.push_back(member);
        }
    }
    return kept;
}

} // namespace nadi
