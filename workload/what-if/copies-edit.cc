// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/copies-edit.h"

#include "common/error.h"
#include "workload/what-if/axis-numbering.h"
#include "workload/what-if/communicator-list.h"
#include "workload/what-if/shard-edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

const std::string COPIES_WISH = "what-if: dp";

class CopiesEditor
{
  public:
    CopiesEditor(const Workload& job, const AxisNumbering& from, uint32_t copies)
        : m_job(job)
        , m_from(from)
        , m_to{from.stride, copies}
        , m_rankCount(job.RankCount() / from.count * copies)
        , m_communicators(m_rankCount)
    {
    }

    Workload Run()
    {
        m_new = m_job;
        m_new.graphOfRank.clear();
        m_new.communicatorOfGroup.clear();
        m_new.rankOfPeer.clear();
        for (uint32_t rank = 0; rank < m_rankCount; ++rank)
        {
            Add(rank);
        }
        m_new.communicators = m_communicators.All();
        return std::move(m_new);
    }

  private:
    void Add(uint32_t rank)
    {
        const uint32_t copy = m_to.PlaceOf(rank);
        const uint32_t source = m_to.Moved(rank, m_from, copy % m_from.count);
        m_new.graphOfRank.push_back(m_job.graphOfRank[source]);
        std::vector<CommunicatorId>& groups = m_new.communicatorOfGroup.emplace_back();
        for (const CommunicatorId group : m_job.communicatorOfGroup[source])
        {
            groups.push_back(m_communicators.Find(MoveGroup(group, copy)));
        }
        std::vector<RankId>& peers = m_new.rankOfPeer.emplace_back();
        const size_t peerCount =
            m_job.rankOfPeer.empty() ? m_job.RankCount() : m_job.rankOfPeer[source].size();
        for (uint32_t peer = 0; peer < peerCount; ++peer)
        {
            const uint32_t old =
                m_job.rankOfPeer.empty() ? peer : m_job.rankOfPeer[source][peer].value;
            peers.push_back(RankId{m_from.Moved(old, m_to, copy)});
        }
    }

    /// The ranks of the group, as a rank of this copy sees it.
    std::vector<RankId> MoveGroup(CommunicatorId group, uint32_t copy) const
    {
        const std::vector<RankId>& ranks = m_job.communicators[group.value].ranks;
        if (ranks.size() == m_job.RankCount())
        {
            return m_communicators.All().front().ranks;
        }
        std::set<uint32_t> copies;
        for (const RankId rank : ranks)
        {
            copies.insert(m_from.PlaceOf(rank.value));
        }
        std::vector<RankId> moved;
        if (copies.size() == 1)
        {
            for (const RankId rank : ranks)
            {
                moved.push_back(RankId{m_from.Moved(rank.value, m_to, copy)});
            }
            return moved;
        }
        if (ranks.size() != m_from.count || copies.size() != m_from.count)
        {
            throw ConfigError(COPIES_WISH,
                              fmt::format("a group of {} ranks holds parts of {} copies, as groups "
                                          "of experts do; with other copies it is unknown",
                                          ranks.size(),
                                          copies.size()));
        }
        for (uint32_t each = 0; each < m_to.count; ++each)
        {
            moved.push_back(RankId{m_from.Moved(ranks.front().value, m_to, each)});
        }
        return moved;
    }

    const Workload& m_job;
    AxisNumbering m_from;
    AxisNumbering m_to;
    uint32_t m_rankCount;
    Workload m_new;
    CommunicatorList m_communicators;
};

/// Throws ConfigError: the ranks of a group of copies do not stand equally far apart.
AxisNumbering
FindCopyNumbering(const JobStructure& structure, uint32_t rankCount)
{
    const uint32_t copies = structure.degrees.data.value_or(1);
    for (const GroupUse& use : structure.groups)
    {
        if (use.role != GroupRole::Data || use.ranks.size() != copies || copies < 2)
        {
            continue;
        }
        const AxisNumbering numbering{use.ranks[1] - use.ranks[0], copies};
        bool isEven = use.ranks[1] > use.ranks[0] && rankCount % copies == 0;
        for (uint32_t copy = 0; isEven && copy < copies; ++copy)
        {
            isEven = use.ranks[copy] == use.ranks[0] + copy * numbering.stride &&
                     numbering.PlaceOf(use.ranks[copy]) == copy;
        }
        if (isEven)
        {
            return numbering;
        }
        throw ConfigError(COPIES_WISH,
                          fmt::format("the {} copies of rank {} do not stand equally far apart",
                                      copies,
                                      use.ranks[0]));
    }
    throw ConfigError(COPIES_WISH,
                      "the recording has a single copy, or none can be told; how its gradients "
                      "would be summed is unknown. --degrees dp=N says how many there are");
}

void
CheckRoots(const Workload& job)
{
    for (const ExecutionGraph& graph : job.graphs)
    {
        const auto hasRoot = [](const ExecutionNode& node)
        { return node.type == NodeType::Collective && HasRoot(node.collective); };
        if (std::ranges::any_of(graph.Nodes(), hasRoot))
        {
            throw ConfigError(COPIES_WISH, "a collective has a root, which would be another rank");
        }
    }
}

} // namespace

Workload
ChangeCopies(const Workload& job, const JobStructure& structure, uint32_t copies)
{
    const AxisNumbering numbering = FindCopyNumbering(structure, job.RankCount());
    if (copies == numbering.count)
    {
        return job;
    }
    if (copies < 2)
    {
        throw ConfigError(COPIES_WISH,
                          "a single copy sums no gradients, which would leave calls of nobody; "
                          "write 2 or more");
    }
    if (uint64_t{job.RankCount()} / numbering.count * copies > MOST_NEW_RANKS)
    {
        throw ConfigError(COPIES_WISH,
                          fmt::format("{} copies have more than {} ranks", copies, MOST_NEW_RANKS));
    }
    CheckRoots(job);
    Workload made = job;
    ScaleShards(made, structure, numbering, copies);
    return CopiesEditor(made, numbering, copies).Run();
}

} // namespace nadi
