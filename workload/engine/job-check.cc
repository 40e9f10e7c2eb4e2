// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/job-check.h"

#include "common/error.h"
#include "workload/engine/node-route.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

namespace nadi
{

namespace
{

std::string
NameNode(const ExecutionGraph& graph, uint32_t node)
{
    return fmt::format("node {} \"{}\"", graph.Node(node).id, graph.Name(node));
}

void
TellOfNode(const ExecutionGraph& graph,
           uint32_t index,
           const std::string& text,
           TraceListener& listener)
{
    listener.OnProblem({.where = graph.Source(),
                        .text = text,
                        .message = NameNode(graph, index) + " " + text,
                        .nodes = {{graph.Node(index).id, std::string(graph.Name(index))}}});
}

/// What can be said of a node by its graph alone, whichever ranks execute it. Groups are left to
/// CheckJob, since they differ from rank to rank.
void
CheckNode(const Workload& workload,
          const ExecutionGraph& graph,
          uint32_t index,
          TraceListener& listener)
{
    const ExecutionNode& node = graph.Node(index);
    const NodeRoute route = FindRoute(node);
    const bool isMessage = route == NodeRoute::Send || route == NodeRoute::Receive;
    // A table of peers comes from Nadi's own generators and edits, never from a trace.
    if (isMessage && workload.rankOfPeer.empty() && node.peer >= workload.RankCount())
    {
        TellOfNode(graph,
                   index,
                   fmt::format("{} rank {}; the job has ranks 0 to {}",
                               route == NodeRoute::Send ? "sends to" : "receives from",
                               node.peer,
                               workload.RankCount() - 1),
                   listener);
    }
    // RankExecutor multiplies the size by that of an element, and keeps the product in a signed
    // 64-bit type, as it does the operations.
    const auto most =
        static_cast<uint64_t>(std::numeric_limits<int64_t>::max() / workload.elementSize.Count());
    if (node.size > most || node.operations > std::numeric_limits<int64_t>::max())
    {
        TellOfNode(graph,
                   index,
                   "has a size or number of operations past 63 bits; write what it really moves or "
                   "computes",
                   listener);
    }
}

/// A replay needs to know how long communication took.
void
CheckRecorded(const ExecutionGraph& graph)
{
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const NodeRoute route = FindRoute(graph.Node(index));
        const bool communicates = route == NodeRoute::Collective || route == NodeRoute::Send ||
                                  route == NodeRoute::Receive;
        // Where a wait was recorded, so was the time: a member that only sends may take none.
        if (communicates && graph.Node(index).durationPs == 0 && !graph.WaitOf(index))
        {
            TellOfNode(graph,
                       index,
                       "has no recorded duration, which communication: recorded needs; write "
                       "communication: simulated, or put measured times into the trace (nadi trace "
                       "merge --durations)",
                       ThrowProblems());
        }
    }
}

/// Tells whether ranks are members of their groups, in logarithmic time for each.
class Memberships
{
  public:
    /// Requires: the workload outlives it.
    explicit Memberships(const Workload& workload)
        : m_workload(workload)
        , m_sortedRanks(workload.communicators.size())
    {
    }

    /// Whether `rank` is in what it calls `group`.
    bool IsMember(RankId rank, uint32_t group)
    {
        return Contains(m_workload.communicatorOfGroup[rank.value].at(group), rank);
    }

    bool Contains(CommunicatorId id, RankId rank)
    {
        if (id.value == 0) // all ranks
        {
            return rank.value < m_workload.RankCount();
        }
        const std::vector<RankId>& ranks = SortedRanks(id);
        return std::binary_search(ranks.begin(), ranks.end(), rank);
    }

  private:
    // A list of a communicator may be in any order, so that there is a sorted copy of each that is
    // asked for.
    const std::vector<RankId>& SortedRanks(CommunicatorId id)
    {
        std::vector<RankId>& sorted = m_sortedRanks[id.value];
        if (sorted.empty())
        {
            sorted = m_workload.communicators[id.value].ranks;
            std::sort(sorted.begin(), sorted.end());
        }
        return sorted;
    }

    const Workload& m_workload;
    std::vector<std::vector<RankId>> m_sortedRanks; // by CommunicatorId
};

// For each group of the graph that a node calls, the first node that does.
std::vector<std::pair<uint32_t, uint32_t>>
FindGroupsUsed(const ExecutionGraph& graph)
{
    std::vector<std::pair<uint32_t, uint32_t>> used;
    std::vector<bool> isSeen(graph.GroupNames().size(), false);
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        const uint32_t group = graph.Node(node).group;
        if (CallsGroup(graph.Node(node)) && !isSeen.at(group))
        {
            isSeen[group] = true;
            used.emplace_back(group, node);
        }
    }
    return used;
}

/// For each pair of a group and a root that a node names, the first node that does.
std::vector<uint32_t>
FindNodesWithRoots(const ExecutionGraph& graph)
{
    std::vector<uint32_t> found;
    std::set<std::pair<uint32_t, uint32_t>> seen;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        const bool namesRoot = FindRoute(node) == NodeRoute::Collective &&
                               HasRoot(node.collective) && node.peer != ExecutionNode::NO_ROOT;
        if (namesRoot && seen.emplace(node.group, node.peer).second)
        {
            found.push_back(index);
        }
    }
    return found;
}

/// The nodes of the graph that have splits.
std::vector<uint32_t>
FindNodesWithSplits(const ExecutionGraph& graph)
{
    std::vector<uint32_t> found;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        if (graph.Node(node).hasSplits)
        {
            found.push_back(node);
        }
    }
    return found;
}

/// Splits have a size for each member of the rank's group.
void
CheckSplitCount(const Workload& workload, RankId rank, uint32_t node)
{
    const ExecutionGraph& graph = workload.GraphOf(rank);
    const uint32_t group = graph.Node(node).group;
    const CommunicatorId id = workload.communicatorOfGroup[rank.value].at(group);
    const size_t members = workload.communicators[id.value].ranks.size();
    if (const std::string fault = FindSplitFault(*graph.SplitsOf(node), members); !fault.empty())
    {
        throw ConfigError(
            graph.Source(),
            fmt::format("{} of rank {} {}", NameNode(graph, node), rank.value, fault));
    }
}

void
CheckMember(const Workload& workload,
            RankId rank,
            std::pair<uint32_t, uint32_t> groupAndNode,
            Memberships& memberships)
{
    const auto [group, node] = groupAndNode;
    if (memberships.IsMember(rank, group))
    {
        return;
    }
    const ExecutionGraph& graph = workload.GraphOf(rank);
    throw ConfigError(
        graph.Source(),
        fmt::format("rank {} calls {} on group \"{}\", which does not contain it; add "
                    "the rank to the group",
                    rank.value,
                    NameNode(graph, node),
                    graph.GroupNames()[group]));
}

/// A root is a member of the group that the rank calls.
void
CheckRoot(const Workload& workload, RankId rank, uint32_t index, Memberships& memberships)
{
    const ExecutionGraph& graph = workload.GraphOf(rank);
    const ExecutionNode& node = graph.Node(index);
    const CommunicatorId id = workload.communicatorOfGroup[rank.value].at(node.group);
    if (memberships.Contains(id, RankId{node.peer}))
    {
        return;
    }
    const std::string group =
        id.value == 0 ? fmt::format("the job, whose ranks are 0 to {}", workload.RankCount() - 1)
                      : fmt::format("group \"{}\"", graph.GroupNames()[node.group]);
    throw ConfigError(graph.Source(),
                      fmt::format("{} of rank {} has rank {} as its root, which is not in {}; name "
                                  "a rank of the group",
                                  NameNode(graph, index),
                                  rank.value,
                                  node.peer,
                                  group));
}

/// What a graph asks of the groups of the ranks that execute it.
struct GroupDemands
{
    explicit GroupDemands(const ExecutionGraph& graph)
        : groupsUsed(FindGroupsUsed(graph))
        , withRoots(FindNodesWithRoots(graph))
        , withSplits(FindNodesWithSplits(graph))
    {
    }

    std::vector<std::pair<uint32_t, uint32_t>> groupsUsed;
    std::vector<uint32_t> withRoots;
    std::vector<uint32_t> withSplits;
};

} // namespace

std::string
FindSplitFault(const ExchangeSplits& splits, size_t members)
{
    const auto describe = [members](const char* name, size_t sizes)
    {
        return fmt::format("has {} sizes in {}, but its group has {} ranks; write one size for "
                           "each",
                           sizes,
                           name,
                           members);
    };
    if (splits.sends.size() != members)
    {
        return describe("in_split_size", splits.sends.size());
    }
    // A member may leave unsaid what it receives (docs/semantics.md 2), but not what it sends.
    const bool fits = splits.receives.empty() || splits.receives.size() == members;
    return fits ? "" : describe("out_split_size", splits.receives.size());
}

void
CheckNodes(const Workload& workload, const ExecutionGraph& graph, TraceListener& listener)
{
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        CheckNode(workload, graph, node, listener);
    }
}

void
CheckJob(const Workload& workload)
{
    // What depends on the graph alone is found once for each graph. Only what groups mean differs
    // between the ranks that share it.
    std::vector<GroupDemands> demands;
    for (const ExecutionGraph& graph : workload.graphs)
    {
        CheckNodes(workload, graph, ThrowProblems());
        if (workload.replaysCommunication)
        {
            CheckRecorded(graph);
        }
        demands.emplace_back(graph);
    }
    Memberships memberships(workload);
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        const GroupDemands& demanded = demands[workload.graphOfRank[rank]];
        for (const auto& groupAndNode : demanded.groupsUsed)
        {
            CheckMember(workload, RankId{rank}, groupAndNode, memberships);
        }
        for (const uint32_t node : demanded.withRoots)
        {
            CheckRoot(workload, RankId{rank}, node, memberships);
        }
        for (const uint32_t node : demanded.withSplits)
        {
            CheckSplitCount(workload, RankId{rank}, node);
        }
    }
}

} // namespace nadi
