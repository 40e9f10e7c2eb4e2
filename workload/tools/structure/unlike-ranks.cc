// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/unlike-ranks.h"

#include "workload/tools/structure/product-widths.h"
#include "workload/tools/structure/rank-agreement.h"
#include "workload/tools/structure/task-order.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// Which ranks call collectives together, or send each other messages, directly or over others.
/// Linked ranks are a set, of which the smallest rank is the leader.
class LinkedRanks
{
  public:
    explicit LinkedRanks(const Workload& workload)
        : m_workload(workload)
        , m_leaders(workload.RankCount())
    {
        std::iota(m_leaders.begin(), m_leaders.end(), 0);
        // Links are listed once for each graph, as many ranks may share one.
        std::vector<Links> links;
        for (const ExecutionGraph& graph : workload.graphs)
        {
            links.push_back(ListLinks(graph));
        }
        for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
        {
            LinkRank(rank, links[workload.graphOfRank[rank]]);
        }
    }

    /// One rank of all that are linked with each other.
    uint32_t LeaderOf(uint32_t rank) const
    {
        while (m_leaders[rank] != rank)
        {
            rank = m_leaders[rank];
        }
        return rank;
    }

  private:
    struct Links
    {
        std::set<uint32_t> groups;
        std::map<uint32_t, uint32_t> messages; ///< a node by its peer
    };

    static Links ListLinks(const ExecutionGraph& graph)
    {
        Links links;
        for (uint32_t index = 0; index < graph.NodeCount(); ++index)
        {
            const ExecutionNode& node = graph.Node(index);
            if (IsCollectiveTask(node))
            {
                links.groups.insert(node.group);
            }
            if (IsMessageTask(node))
            {
                links.messages.emplace(node.peer, index);
            }
        }
        return links;
    }

    void LinkRank(uint32_t rank, const Links& links)
    {
        for (const uint32_t group : links.groups)
        {
            const uint32_t id = m_workload.communicatorOfGroup[rank][group].value;
            // The first rank that calls on a communicator links all of its members, so later ones
            // need not do so.
            for (const RankId member : m_linkedGroups.insert(id).second
                                           ? m_workload.communicators[id].ranks
                                           : std::vector<RankId>())
            {
                Join(rank, member.value);
            }
        }
        const ExecutionGraph& graph = m_workload.GraphOf(RankId{rank});
        for (const auto& [peer, node] : links.messages)
        {
            Join(rank, m_workload.PeerOf(RankId{rank}, graph.Node(node)).value);
        }
    }

    void Join(uint32_t rank, uint32_t other)
    {
        if (other >= m_leaders.size())
        {
            return; // it was not recorded
        }
        const uint32_t one = LeaderOf(rank);
        const uint32_t two = LeaderOf(other);
        // An entry only leads to a smaller rank, so there is no circle. Both ranks get the leader
        // itself, which keeps the ways short.
        m_leaders[std::max(one, two)] = std::min(one, two);
        m_leaders[rank] = std::min(one, two);
        m_leaders[other] = std::min(one, two);
    }

    const Workload& m_workload;
    std::vector<uint32_t> m_leaders;   ///< one that leads to the leader; itself of the leader
    std::set<uint32_t> m_linkedGroups; ///< communicators
};

/// Of the products in forward layers. Backward, the product that makes the gradient of a matrix has
/// the number of tokens as its inner size, which depends on the batch.
std::set<uint64_t>
ListWidths(const ExecutionGraph& graph, const RankStructure& rank)
{
    std::set<uint64_t> widths;
    for (const LayerRunPass& pass : rank.passes)
    {
        for (const LayerPass& layer : pass.isForward ? pass.layers : std::vector<LayerPass>())
        {
            widths.merge(ListProductWidths(graph, layer.tasks));
        }
    }
    return widths;
}

} // namespace

std::string
FindUnlikeRanks(const Workload& workload, const JobStructure& structure)
{
    const LinkedRanks links(workload);
    std::map<uint32_t, std::set<uint64_t>> widthsOf; // by the rank of which the lists are
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> placesIn; // by leader and stage
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> firsts;   // by stage and place
    for (const RankStructure& rank : structure.ranks)
    {
        // Ranks of one job may differ by their place, as their parts of the matrices do. The k-th
        // rank of a stage in one set of linked ranks is compared with the k-th of that stage in the
        // other sets.
        const uint32_t place = placesIn[{links.LeaderOf(rank.rank), rank.stage}]++;
        const uint32_t first = firsts.try_emplace({rank.stage, place}, rank.sameAs).first->second;
        for (const uint32_t lists : {first, rank.sameAs})
        {
            if (!widthsOf.contains(lists))
            {
                widthsOf[lists] =
                    ListWidths(workload.GraphOf(RankId{lists}), structure.ranks[lists]);
            }
        }
        const std::set<uint64_t>& one = widthsOf[first];
        const std::set<uint64_t>& other = widthsOf[rank.sameAs];
        // Kernels that name no shapes tell nothing.
        if (one != other && !one.empty() && !other.empty())
        {
            return DescribeDoubt(fmt::format(
                "no call or message links rank {} with rank {}, and products of their layers have "
                "the inner sizes {} and {}",
                first,
                rank.rank,
                fmt::join(one, ", "),
                fmt::join(other, ", ")));
        }
    }
    return "";
}

} // namespace nadi
