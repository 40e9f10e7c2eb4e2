// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/stage-ranks.h"

#include "common/error.h"
#include "workload/what-if/chunk-source.h"
#include "workload/what-if/graph-copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace nadi
{

namespace
{

/// New stages of a single recorded one follow each other as a whole.
AxisNumbering
FindStageNumbering(const JobStructure& structure, const Pipeline& recorded, const Pipeline& wanted)
{
    const auto rankCount = static_cast<uint32_t>(structure.ranks.size());
    const bool areSame = recorded.stages == wanted.stages && recorded.chunks == wanted.chunks;
    // Where nothing is dealt anew, no rank moves, and any numbering will do. Of a single stage all
    // ranks are one block, so the stages become the outermost axis.
    if (areSame || recorded.stages == 1)
    {
        return {std::max(rankCount, 1U), recorded.stages};
    }
    std::vector<uint32_t> stages;
    for (const RankStructure& rank : structure.ranks)
    {
        stages.push_back(rank.stage);
    }
    const std::optional<AxisNumbering> numbering = FindNumbering(stages, recorded.stages);
    if (!numbering)
    {
        throw ConfigError("what-if: pp",
                          "ranks that differ in their stage alone do not stand equally far apart, "
                          "so those of other stages would have unknown numbers");
    }
    return *numbering;
}

} // namespace

StageRanks::StageRanks(const Workload& job,
                       const JobStructure& structure,
                       const Pipeline& recorded,
                       const Pipeline& wanted)
    : m_job(job)
    , m_structure(structure)
    , m_recorded(recorded)
    , m_wanted(wanted)
    , m_from(FindStageNumbering(structure, recorded, wanted))
    , m_to{m_from.stride, wanted.stages}
    , m_rankCount(job.RankCount() / recorded.stages * wanted.stages)
    , m_communicators(m_rankCount)
{
}

uint32_t
StageRanks::StageOf(uint32_t rank) const
{
    return AreOther() ? m_to.PlaceOf(rank) : m_structure.ranks[rank].stage;
}

uint32_t
StageRanks::SourceOf(uint32_t rank) const
{
    return AreOther() ? RecordedAt(rank, BaseStageOf(m_recorded, m_wanted, StageOf(rank))) : rank;
}

uint32_t
StageRanks::RecordedAt(uint32_t rank, uint32_t stage) const
{
    return AreOther() ? m_to.Moved(rank, m_from, stage) : rank;
}

std::set<uint32_t>
StageRanks::StagesOf(CommunicatorId group) const
{
    std::set<uint32_t> stages;
    for (const RankId rank : m_job.communicators[group.value].ranks)
    {
        stages.insert(m_from.PlaceOf(rank.value));
    }
    return stages;
}

std::vector<bool>
StageRanks::FindGroupsOfEnds(uint32_t source) const
{
    std::vector<bool> areOfEnds{false}; // calls without a group are of all ranks
    const std::vector<CommunicatorId>& groups = m_job.communicatorOfGroup[source];
    for (uint32_t group = 1; group < groups.size(); ++group)
    {
        areOfEnds.push_back(m_from.count > 1 && IsOfEnds(groups[group]));
    }
    return areOfEnds;
}

std::vector<CommunicatorId>
StageRanks::GroupsOf(uint32_t rank,
                     const ExecutionGraph& graph,
                     const std::vector<GroupOrigins::Added>& added)
{
    const std::vector<CommunicatorId>& recorded = m_job.communicatorOfGroup[SourceOf(rank)];
    const uint32_t stage = StageOf(rank);
    const bool isEnd = m_to.count > 1 && (stage == 0 || stage + 1 == m_to.count);
    std::vector<CommunicatorId> groups{CommunicatorId{0}};
    for (uint32_t group = 1; group < recorded.size(); ++group)
    {
        // A group of one stage has its counterpart in each. Of several stages only those of both
        // ends are known to have one.
        const size_t stages = StagesOf(recorded[group]).size();
        const bool isKnown = stages == 1 || (isEnd && IsOfEnds(recorded[group]));
        if (!isKnown && FindCalledGroups(graph)[group])
        {
            throw ConfigError(
                "what-if: pp",
                fmt::format("a group of {} ranks is of {} stages; who of other stages "
                            "it would hold is unknown",
                            m_job.communicators[recorded[group].value].ranks.size(),
                            stages));
        }
        // A group that is not known is called by nobody. It keeps its place, as groups are
        // numbered.
        groups.push_back(isKnown ? MoveGroup(rank, recorded[group]) : CommunicatorId{0});
    }
    for (const GroupOrigins::Added& one : added)
    {
        groups.push_back(FindAdded(rank, one));
    }
    return groups;
}

bool
StageRanks::IsOfEnds(CommunicatorId group) const
{
    // Two ranks alone: a larger group of both ends would hold several ranks of a stage.
    return StagesOf(group) == std::set<uint32_t>{0, m_from.count - 1} &&
           m_job.communicators[group.value].ranks.size() == 2;
}

CommunicatorId
StageRanks::FindAdded(uint32_t rank, const GroupOrigins::Added& added)
{
    if (added.stage)
    {
        // The group as the other recorded stage has it, at the place of this rank, then moved into
        // its stage.
        const uint32_t recorded = RecordedAt(rank, *added.stage);
        return m_communicators.Find(
            MembersIn(StageOf(rank), m_job.communicatorOfGroup[recorded][added.group]));
    }
    // One rank of each end, at the place of this rank.
    return m_communicators.Find(
        {RankId{m_to.Moved(rank, m_to, 0)}, RankId{m_to.Moved(rank, m_to, m_to.count - 1)}});
}

/// Requires: the group is of one stage.
std::vector<RankId>
StageRanks::MembersIn(uint32_t stage, CommunicatorId group) const
{
    std::vector<RankId> members;
    for (const RankId member : m_job.communicators[group.value].ranks)
    {
        members.push_back(RankId{m_from.Moved(member.value, m_to, stage)});
    }
    return members;
}

std::optional<uint32_t>
StageRanks::FindInSource(uint32_t rank, uint32_t stage, uint32_t group) const
{
    const auto membersOf = [&](uint32_t recorded, uint32_t each)
    { return MembersIn(StageOf(rank), m_job.communicatorOfGroup[recorded][each]); };
    const std::vector<RankId> wanted = membersOf(RecordedAt(rank, stage), group);
    const uint32_t source = SourceOf(rank);
    for (uint32_t known = 1; known < m_job.communicatorOfGroup[source].size(); ++known)
    {
        if (membersOf(source, known) == wanted)
        {
            return known;
        }
    }
    return std::nullopt;
}

/// Requires: the group is of one stage, or of the ends.
CommunicatorId
StageRanks::MoveGroup(uint32_t rank, CommunicatorId group)
{
    const bool isOfEnds = StagesOf(group).size() > 1;
    // Two stages are both ends, so a group of one rank of each does not show what it is for.
    m_haveAssumedEnds |= isOfEnds && m_from.count == 2;
    std::vector<RankId> moved;
    for (const RankId member : m_job.communicators[group.value].ranks)
    {
        const bool isLast = m_from.PlaceOf(member.value) + 1 == m_from.count;
        const uint32_t end = isLast ? m_to.count - 1 : 0;
        moved.push_back(RankId{m_from.Moved(member.value, m_to, isOfEnds ? end : StageOf(rank))});
    }
    return m_communicators.Find(moved);
}

uint32_t
StageRanks::PeerCountOf(uint32_t source) const
{
    return m_job.rankOfPeer.empty() ? m_job.RankCount()
                                    : static_cast<uint32_t>(m_job.rankOfPeer[source].size());
}

std::vector<RankId>
StageRanks::PeersOf(uint32_t rank) const
{
    const uint32_t source = SourceOf(rank);
    const uint32_t stage = StageOf(rank);
    std::vector<RankId> peers;
    for (uint32_t peer = 0; peer < PeerCountOf(source); ++peer)
    {
        const uint32_t old = m_job.rankOfPeer.empty() ? peer : m_job.rankOfPeer[source][peer].value;
        peers.push_back(RankId{m_from.Moved(old, m_to, stage)});
    }
    // Modulo the stages: with several chunks the last stage sends to the first.
    for (const uint32_t step : {1U, m_to.count - 1})
    {
        peers.push_back(RankId{m_to.Moved(rank, m_to, (stage + step) % m_to.count)});
    }
    return peers;
}

} // namespace nadi
