// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/shape-ranks.h"

#include "common/error.h"
#include "workload/what-if/graph-copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace nadi
{

namespace
{

const std::string TENSOR_WISH = "what-if: tp";
const std::string EXPERT_WISH = "what-if: ep";

AxisNumbering
FindTensorNumbering(const ShapeReading& reading, uint32_t before, uint32_t after)
{
    const auto rankCount = static_cast<uint32_t>(reading.placeOfRank.size());
    if (before == 1)
    {
        return {1, 1}; // new ranks of a tensor group are neighbours
    }
    const auto numbering = FindNumbering(reading.placeOfRank, before);
    if (numbering)
    {
        return *numbering;
    }
    if (before == after)
    {
        return {std::max(rankCount, 1U), 1}; // ranks stay where they are
    }
    throw ConfigError(TENSOR_WISH,
                      "ranks that differ in their place in a tensor group alone do not stand "
                      "equally far apart, so those of another degree would have unknown numbers");
}

uint32_t
CountNewRanks(uint64_t groups, uint64_t degree)
{
    if (groups * degree > MOST_NEW_RANKS)
    {
        throw ConfigError(TENSOR_WISH,
                          fmt::format("{} tensor-parallel ranks in each of {} groups are more than "
                                      "{} ranks",
                                      degree,
                                      groups,
                                      MOST_NEW_RANKS));
    }
    return static_cast<uint32_t>(groups * degree);
}

/// The ranks among copies that share the experts of a layer with one of them, neighbours; or those
/// that have the same experts.
/// Requires: `rank` is among the copies.
std::vector<RankId>
SpreadOver(const std::vector<RankId>& copies, RankId rank, uint32_t degree, bool haveSameExperts)
{
    const auto at = static_cast<size_t>(std::ranges::find(copies, rank) - copies.begin());
    std::vector<RankId> ranks;
    for (size_t i = 0; i < copies.size(); ++i)
    {
        const bool isMember =
            haveSameExperts ? i % degree == at % degree : i / degree == at / degree;
        if (isMember)
        {
            ranks.push_back(copies[i]);
        }
    }
    return ranks;
}

} // namespace

/// `m_from` takes a recorded rank apart into its place in a tensor group and all else. `m_to` puts
/// a rank together from all else and a place in a group of the new degree.
ShapeRanks::ShapeRanks(const Workload& job, const ShapeReading& reading, const Degrees& degrees)
    : m_job(job)
    , m_reading(reading)
    , m_degrees(degrees)
    , m_from(FindTensorNumbering(reading, degrees.tensorBefore, degrees.tensor))
    // Without another degree both numberings are the same, so that nobody moves.
    , m_to{m_from.stride, degrees.tensor == degrees.tensorBefore ? m_from.count : degrees.tensor}
    , m_rankCount(CountNewRanks(job.RankCount() / m_from.count, m_to.count))
    , m_communicators(m_rankCount)
{
}

uint32_t
ShapeRanks::SourceOf(uint32_t rank) const
{
    // New ranks of a tensor group have the tasks of recorded ones in turn.
    return AreOther() ? m_to.Moved(rank, m_from, m_to.PlaceOf(rank) % m_from.count) : rank;
}

const std::vector<RankId>&
ShapeRanks::RecordedGroup(uint32_t source, uint32_t group) const
{
    return m_job.communicators[m_job.communicatorOfGroup[source][group].value].ranks;
}

std::vector<CommunicatorId>
ShapeRanks::GroupsOf(uint32_t rank)
{
    const uint32_t source = SourceOf(rank);
    const std::vector<CopyUse>& uses = UsesIn(m_job.graphOfRank[source]);
    std::vector<CommunicatorId> groups{CommunicatorId{0}};
    const std::vector<bool>& isCalled = CalledIn(m_job.graphOfRank[source]);
    for (uint32_t group = 1; group < m_job.communicatorOfGroup[source].size(); ++group)
    {
        if (!isCalled[group])
        {
            groups.push_back(CommunicatorId{0}); // whom it would hold does not matter
            continue;
        }
        const bool isOfExperts =
            uses[group] == CopyUse::Experts || uses[group] == CopyUse::ExpertCopies;
        // Only groups of experts follow the degree of experts; their ranks are found among all
        // copies first, and then moved to the place of the new rank.
        const bool isSpreadAnew = isOfExperts && m_degrees.expert != m_degrees.expertBefore;
        const std::vector<RankId>& recorded = RecordedGroup(source, group);
        groups.push_back(m_communicators.Find(
            MoveGroup(isSpreadAnew ? RespreadExperts(source, group, uses[group]) : recorded,
                      m_to.PlaceOf(rank))));
    }
    return groups;
}

/// Looked up once for all ranks of a graph.
const std::vector<bool>&
ShapeRanks::CalledIn(uint32_t graph)
{
    const auto [known, isNew] = m_called.try_emplace(graph);
    if (isNew)
    {
        known->second = FindCalledGroups(m_job.graphs[graph]);
    }
    return known->second;
}

/// By group of a graph, from the calls on it.
const std::vector<ShapeRanks::CopyUse>&
ShapeRanks::UsesIn(uint32_t graph)
{
    const auto [known, isNew] = m_uses.try_emplace(graph);
    if (isNew)
    {
        known->second.resize(m_job.graphs[graph].GroupNames().size(), CopyUse::None);
        for (uint32_t node = 0; node < m_job.graphs[graph].NodeCount(); ++node)
        {
            NoteUse(known->second, graph, node);
        }
    }
    return known->second;
}

void
ShapeRanks::NoteUse(std::vector<CopyUse>& uses, uint32_t graph, uint32_t node) const
{
    const Amount& amount = m_reading.jobs.at(graph).tasks[node].amount;
    const ExecutionNode& task = m_job.graphs[graph].Node(node);
    if (task.type != NodeType::Collective || task.group == 0)
    {
        return;
    }
    CopyUse use = CopyUse::None;
    if (amount.kind == AmountKind::RoutedShare && task.collective == CollectiveType::AllToAll)
    {
        use = CopyUse::Experts;
    }
    else if (amount.kind == AmountKind::Parameters)
    {
        use = amount.set.Dense().IsEmpty() ? CopyUse::ExpertCopies : CopyUse::Copies;
    }
    // Other calls on the same group say nothing of it. Two uses matter only if one of them changes.
    CopyUse& known = uses[task.group];
    if (use != CopyUse::None && known != CopyUse::None && known != use &&
        m_degrees.expert != m_degrees.expertBefore)
    {
        throw ConfigError(
            EXPERT_WISH,
            fmt::format("group \"{}\" of {} is both of copies and of experts; which of "
                        "them another degree would change is unknown",
                        m_job.graphs[graph].GroupNames()[task.group],
                        m_job.graphs[graph].Source()));
    }
    known = use == CopyUse::None ? known : use;
}

/// All that a recorded rank has.
const std::vector<RankId>&
ShapeRanks::CopiesOf(uint32_t source)
{
    const std::vector<CopyUse>& uses = UsesIn(m_job.graphOfRank[source]);
    const auto copies = std::ranges::find(uses, CopyUse::Copies);
    if (copies == uses.end())
    {
        throw ConfigError(EXPERT_WISH,
                          "no group sums gradients over copies, among which experts "
                          "could be spread anew");
    }
    return RecordedGroup(source, static_cast<uint32_t>(copies - uses.begin()));
}

/// Of a recorded rank, with the new degree: a part of the group of its copies.
std::vector<RankId>
ShapeRanks::RespreadExperts(uint32_t source, uint32_t group, CopyUse use)
{
    const std::vector<RankId>& all = CopiesOf(source);
    const bool haveSameExperts = use == CopyUse::ExpertCopies;
    // The recorded group has to follow the rule, else the rule says nothing of another degree.
    if (SpreadOver(all, RankId{source}, m_degrees.expertBefore, haveSameExperts) !=
        RecordedGroup(source, group))
    {
        throw ConfigError(EXPERT_WISH,
                          fmt::format("the ranks that share experts with rank {} are no neighbours "
                                      "among its copies, so who would share with another degree is "
                                      "unknown",
                                      source));
    }
    return SpreadOver(all, RankId{source}, m_degrees.expert, haveSameExperts);
}

CommunicatorId
ShapeRanks::SharedExpertsOf(uint32_t rank)
{
    const uint32_t source = SourceOf(rank);
    return m_communicators.Find(MoveGroup(
        SpreadOver(CopiesOf(source), RankId{source}, m_degrees.expert, false), m_to.PlaceOf(rank)));
}

/// The group that a new rank at `place` of its tensor group has for this recorded one. Throws
/// ConfigError unless the ranks are at one place of their tensor groups, a whole tensor group, or
/// all ranks.
std::vector<RankId>
ShapeRanks::MoveGroup(const std::vector<RankId>& ranks, uint32_t place) const
{
    if (!AreOther())
    {
        return ranks;
    }
    std::set<uint32_t> places;
    for (const RankId rank : ranks)
    {
        places.insert(m_from.PlaceOf(rank.value));
    }
    std::vector<RankId> moved;
    // A group at one place of its tensor groups has its counterpart at every other one.
    if (places.size() == 1)
    {
        for (const RankId rank : ranks)
        {
            moved.push_back(RankId{m_from.Moved(rank.value, m_to, place)});
        }
        return moved;
    }
    // A whole tensor group, which gets all places of the new one.
    if (ranks.size() == m_from.count && places.size() == m_from.count)
    {
        for (uint32_t each = 0; each < m_to.count; ++each)
        {
            moved.push_back(RankId{m_from.Moved(ranks.front().value, m_to, each)});
        }
        return moved;
    }
    if (ranks.size() == m_job.RankCount())
    {
        return m_communicators.All().front().ranks;
    }
    throw ConfigError(
        TENSOR_WISH,
        fmt::format("a group of {} ranks holds {} ranks of a tensor group of {}; with "
                    "another degree it is unknown",
                    ranks.size(),
                    places.size(),
                    m_from.count));
}

CommunicatorId
ShapeRanks::TensorGroupOf(uint32_t rank)
{
    std::vector<RankId> ranks;
    for (uint32_t place = 0; place < m_to.count; ++place)
    {
        ranks.push_back(RankId{m_to.Moved(rank, m_to, place)});
    }
    return m_communicators.Find(ranks);
}

std::vector<RankId>
ShapeRanks::PeersOf(uint32_t rank) const
{
    const uint32_t source = SourceOf(rank);
    const size_t count =
        m_job.rankOfPeer.empty() ? m_job.RankCount() : m_job.rankOfPeer[source].size();
    std::vector<RankId> peers;
    for (uint32_t peer = 0; peer < count; ++peer)
    {
        // A message is taken to go between ranks at the same place of their tensor groups, as those
        // between stages do.
        const uint32_t old = m_job.rankOfPeer.empty() ? peer : m_job.rankOfPeer[source][peer].value;
        peers.push_back(RankId{AreOther() ? m_from.Moved(old, m_to, m_to.PlaceOf(rank)) : old});
    }
    return peers;
}

} // namespace nadi
