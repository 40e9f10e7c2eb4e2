// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/copies-edit.h"

#include "common/error.h"
#include "common/text.h"
#include "workload/what-if/axis-numbering.h"
#include "workload/what-if/communicator-list.h"
#include "workload/what-if/copy-numbering.h"
#include "workload/what-if/gradient-sums.h"
#include "workload/what-if/lone-calls.h"
#include "workload/what-if/memory-accesses.h"
#include "workload/what-if/shard-edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

const std::string COPIES_WISH = "what-if: dp";

/// Moves the ranks, groups and peers of a job to another number of copies. Graphs stay.
///
/// Groups are of one copy, of all copies, of neighbours that share experts, or of those that have
/// the same experts. Each of them is kept as a list of places on the axis of copies and of members
/// at each place, and gets new places.
class CopiesEditor
{
  public:
    CopiesEditor(const Workload& job,
                 const JobStructure& structure,
                 const AxisNumbering& from,
                 uint32_t copies,
                 std::vector<std::set<uint32_t>> addedGroups)
        : m_job(job)
        , m_from(from)
        , m_to{from.stride, copies}
        , m_rankCount(job.RankCount() / from.count * copies)
        , m_communicators(m_rankCount)
        , m_addedGroups(std::move(addedGroups))
    {
        for (const Communicator& group : job.communicators)
        {
            for (const GroupUse& use : structure.groups)
            {
                const bool isIt = std::ranges::equal(
                    use.ranks, group.ranks, {}, {}, [](RankId rank) { return rank.value; });
                if (isIt && use.role == GroupRole::Expert)
                {
                    m_sharedExperts.insert(group.id);
                    m_expertDegree = CountPlaces(group);
                    CheckIsShared(m_expertDegree);
                }
                if (isIt && use.role == GroupRole::Data)
                {
                    m_sums.insert(group.id);
                }
                if (isIt && use.role == GroupRole::ExpertData && CountPlaces(group) == 1)
                {
                    m_loneExperts.insert(group.id);
                }
            }
        }
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
    struct GroupToMove
    {
        CommunicatorId id;
        bool areExchanging = false;
    };

    void Add(uint32_t rank)
    {
        const uint32_t copy = m_to.PlaceOf(rank);
        // Copies beyond the recorded ones have their tasks in turn.
        const uint32_t source = m_to.Moved(rank, m_from, copy % m_from.count);
        m_new.graphOfRank.push_back(m_job.graphOfRank[source]);
        std::vector<CommunicatorId>& groups = m_new.communicatorOfGroup.emplace_back();
        while (groups.size() < m_job.communicatorOfGroup[source].size())
        {
            groups.push_back(m_communicators.Find(MoveGroup(source, groups.size(), copy)));
        }
        std::vector<RankId>& peers = m_new.rankOfPeer.emplace_back();
        // Without a table, peers are numbered as ranks.
        const size_t peerCount =
            m_job.rankOfPeer.empty() ? m_job.RankCount() : m_job.rankOfPeer[source].size();
        for (uint32_t peer = 0; peer < peerCount; ++peer)
        {
            const uint32_t old =
                m_job.rankOfPeer.empty() ? peer : m_job.rankOfPeer[source][peer].value;
            peers.push_back(RankId{m_from.Moved(old, m_to, copy)});
        }
    }

    /// The ranks of a group of the source, as its rank in this copy sees it. A named group of all
    /// ranks of a single copy is of those of each.
    std::vector<RankId> MoveGroup(uint32_t source, size_t index, uint32_t copy)
    {
        const CommunicatorId group = m_job.communicatorOfGroup[source][index];
        const std::vector<RankId>& ranks = m_job.communicators[group.value].ranks;
        const bool areExchanging = IsOfSharedExperts(source, index);
        // Calls without a group are of all ranks, and groups of all copies are of all again. A
        // group that shares experts keeps its number of copies, so it is of some from now on.
        if (ranks.size() == m_job.RankCount() && !areExchanging && (index == 0 || m_from.count > 1))
        {
            return m_communicators.All().front().ranks;
        }
        std::map<uint32_t, std::vector<RankId>> ofCopy;
        for (const RankId rank : ranks)
        {
            ofCopy[m_from.PlaceOf(rank.value)].push_back(rank);
        }
        std::vector<uint32_t> places;
        for (const auto& [place, members] : ofCopy)
        {
            places.push_back(place);
            // Each copy must have equally many members of the group, as new copies take the members
            // of recorded ones in turn.
            CheckIsEven(members.size() * ofCopy.size() == ranks.size(), ranks);
        }
        std::vector<RankId> moved;
        // With a single copy, a group that sums has one place, which does not tell that it is of
        // all copies.
        const std::vector<uint32_t> wanted = m_from.count == 1 && IsOfCopies(source, index)
                                                 ? Places(0, 1, m_to.count)
                                                 : MovePlaces({group, areExchanging}, places, copy);
        for (size_t each = 0; each < wanted.size(); ++each)
        {
            for (const RankId rank : ofCopy[places[each % places.size()]])
            {
                moved.push_back(RankId{m_from.Moved(rank.value, m_to, wanted[each])});
            }
        }
        return moved;
    }

    /// Of a single copy: a group that sums gradients.
    bool IsOfCopies(uint32_t source, size_t index) const
    {
        const uint32_t graph = m_job.graphOfRank[source];
        const bool isAdded = graph < m_addedGroups.size() &&
                             m_addedGroups[graph].contains(static_cast<uint32_t>(index));
        return isAdded || m_sums.contains(m_job.communicatorOfGroup[source][index]);
    }

    /// Whether a group shares experts. Where all copies do, others have the same ranks
    /// (PrepareExpertSums).
    bool IsOfSharedExperts(uint32_t source, size_t index)
    {
        if (!m_sharedExperts.contains(m_job.communicatorOfGroup[source][index]))
        {
            return false;
        }
        const uint32_t graph = m_job.graphOfRank[source];
        const auto [known, isNew] = m_exchanges.try_emplace({graph, index}, false);
        known->second = isNew ? HasExchanges(m_job.graphs[graph], index) : known->second;
        return known->second;
    }

    static bool HasExchanges(const ExecutionGraph& graph, size_t index)
    {
        return std::ranges::any_of(graph.Nodes(),
                                   [index](const ExecutionNode& node)
                                   {
                                       return node.type == NodeType::Collective &&
                                              node.group == index &&
                                              node.collective == CollectiveType::AllToAll;
                                   });
    }

    /// The copies of a group, as one of them sees it: all, neighbours that share experts, or those
    /// that have the same experts, of which one may have been alone.
    std::vector<uint32_t>
    MovePlaces(const GroupToMove& group, const std::vector<uint32_t>& places, uint32_t copy) const
    {
        const std::vector<RankId>& ranks = m_job.communicators[group.id.value].ranks;
        const auto count = static_cast<uint32_t>(places.size());
        const uint32_t step = count < 2 ? 1 : places[1] - places[0];
        // The copies in a group must stand equally far apart on the axis. Otherwise it is unknown
        // which new copies belong to it.
        for (uint32_t each = 0; each < count; ++each)
        {
            CheckIsEven(places[each] == places[0] + each * step, ranks);
        }
        if (m_loneExperts.contains(group.id))
        {
            // Copies at the same place among the neighbours that share experts have the same ones.
            return Places(copy % m_expertDegree, m_expertDegree, m_to.count / m_expertDegree);
        }
        if (count == 1)
        {
            return {copy};
        }
        if (group.areExchanging)
        {
            // Sets of neighbours begin at multiples of their size.
            CheckIsEven(step == 1 && places[0] % count == 0, ranks);
            return Places(copy - copy % count, 1, count);
        }
        // Any other group must reach over the whole axis in equal steps, as copies of the same
        // experts do. With a step of 1 it has all copies.
        CheckIsEven(count * step == m_from.count && m_to.count % step == 0, ranks);
        return Places(places[0], step, m_to.count / step);
    }

    static std::vector<uint32_t> Places(uint32_t first, uint32_t step, uint32_t count)
    {
        std::vector<uint32_t> places;
        for (uint32_t each = 0; each < count; ++each)
        {
            places.push_back(first + each * step);
        }
        return places;
    }

    uint32_t CountPlaces(const Communicator& group) const
    {
        std::set<uint32_t> places;
        for (const RankId rank : group.ranks)
        {
            places.insert(m_from.PlaceOf(rank.value));
        }
        return static_cast<uint32_t>(places.size());
    }

    /// Throws ConfigError where `count` copies share experts, and would not divide the copies.
    void CheckIsShared(uint32_t count) const
    {
        if (m_to.count % count != 0)
        {
            throw ConfigError(COPIES_WISH,
                              fmt::format("{} copies are to become {}, but {} neighbours share the "
                                          "experts; write a multiple of {}",
                                          m_from.count,
                                          m_to.count,
                                          count,
                                          count));
        }
    }

    void CheckIsEven(bool isEven, const std::vector<RankId>& ranks) const
    {
        if (!isEven)
        {
            throw ConfigError(COPIES_WISH,
                              fmt::format("a group of {} ranks, the first of which is rank {}, "
                                          "holds parts of some copies; who of {} copies it would "
                                          "hold is unknown",
                                          ranks.size(),
                                          ranks.front().value,
                                          m_to.count));
        }
    }

    const Workload& m_job;
    AxisNumbering m_from;
    AxisNumbering m_to;
    uint32_t m_rankCount;
    Workload m_new;
    CommunicatorList m_communicators;
    std::vector<std::set<uint32_t>> m_addedGroups;           // by graph: of copies to come
    std::map<std::pair<uint32_t, size_t>, bool> m_exchanges; // by graph and group, once known
    std::set<CommunicatorId> m_sharedExperts;                // groups that share experts
    std::set<CommunicatorId> m_sums;                         // groups that sum gradients
    std::set<CommunicatorId> m_loneExperts; // groups of copies of experts that one copy has so far
    uint32_t m_expertDegree = 1;            // copies that share experts
};

/// Throws ConfigError for calls with a root. A graph names the root as a rank of the job, so all
/// copies that share the graph would have the recorded one.
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

bool
HasSums(const JobStructure& structure)
{
    return std::ranges::any_of(structure.groups,
                               [](const GroupUse& use) { return use.role == GroupRole::Data; });
}

/// A single copy has shards where the ranks of a sequence have some. Throws ConfigError.
void
CheckHasNoShards(const JobStructure& structure)
{
    const auto hasShards = [](const GroupUse& use)
    {
        return use.role == GroupRole::Data &&
               use.calls.contains(std::string(ToText(CollectiveType::ReduceScatter)));
    };
    if (std::ranges::any_of(structure.groups, hasShards))
    {
        throw ConfigError(COPIES_WISH,
                          "the ranks that share the sequences of a single copy hold shards of what "
                          "the optimizer updates (ZeRO), and how copies would share them is "
                          "unknown; begin with a recording of two copies");
    }
}

/// Throws ConfigError.
void
CheckCount(const Workload& job, const AxisNumbering& numbering, uint32_t copies)
{
    const uint64_t perCopy = uint64_t{job.RankCount()} / numbering.count;
    if (perCopy * copies > MOST_NEW_RANKS)
    {
        throw ConfigError(COPIES_WISH,
                          fmt::format("{} copies have more than {} ranks", copies, MOST_NEW_RANKS));
    }
    // Each rank gets the list of a group with a member in each copy.
    constexpr double MOST_MEMBERS = 1e9;
    const auto most = static_cast<uint64_t>(std::sqrt(MOST_MEMBERS / static_cast<double>(perCopy)));
    if (copies > most)
    {
        throw ConfigError(COPIES_WISH,
                          fmt::format("{} copies of {} are more than can be put together; write {} "
                                      "or fewer",
                                      copies,
                                      CountText(perCopy, "rank"),
                                      most));
    }
    CheckRoots(job);
}

} // namespace

CopiesEdit
ChangeCopies(const Workload& job, const JobStructure& structure, uint32_t copies)
{
    if (copies == structure.degrees.data)
    {
        return {job, {}};
    }
    CheckAccessesNothing(
        job,
        COPIES_WISH,
        "how many copies would load and store together what it accesses is unknown");
    const AxisNumbering numbering = FindCopyNumbering(structure, job.RankCount());
    CheckCount(job, numbering, copies);
    SummedJob summed{job, {}, {}};
    if (numbering.count == 1 && !HasSums(structure))
    {
        // Sums are put in only where nobody sums. Where the ranks with the parts of a sequence do,
        // their groups get the new copies as members.
        summed = AddGradientSums(job, structure);
    }
    else
    {
        if (numbering.count == 1)
        {
            CheckHasNoShards(structure);
        }
        // Before ranks are moved, as the groups of the recorded ranks tell what shards are of.
        ScaleShards(summed.job, structure, numbering, copies);
    }
    Workload made =
        CopiesEditor(summed.job, structure, numbering, copies, summed.groupsOfGraph).Run();
    if (copies == 1)
    {
        // Groups that were of a rank alone before stay as they were recorded.
        RemoveLoneCalls(made, FindLoneGroups(job));
    }
    return {std::move(made), std::move(summed.notes)};
}

} // namespace nadi
