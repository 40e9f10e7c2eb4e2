// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/stand-ins.h"

#include "common/error.h"
#include "workload/tools/structure/task-order.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

namespace nadi
{

namespace
{

constexpr int64_t MOST_COMPLETED_RANKS = 1 << 17; ///< that a job can be completed to

/// In which order groups are looked at whose members do the same.
// The surest evidence first: members of a data group do the same work on other data; those of a
// tensor group have other parts of it; the rest may be of different stages.
enum Precedence : uint32_t
{
    COPIES,
    PARTS,
    DOUBTFUL,
};

/// Whether members sum gradients: of copies, or of a matrix that the first and the last stage
/// share. Stages are not known where not all of them have a recorded rank that the others talk to.
/// So either may be taken for the other.
bool
SumsGradients(GroupRole role)
{
    return role == GroupRole::Data || role == GroupRole::ExpertData || role == GroupRole::Embedding;
}

/// Nothing: the members do not do the same. `sumsMost`: no other group of the rank that
/// SumsGradients has more bytes.
std::optional<uint32_t>
PrecedenceOf(GroupRole role, bool sumsMost, bool hasStages)
{
    switch (role)
    {
    case GroupRole::Data:
    case GroupRole::ExpertData:
    case GroupRole::Embedding:
        // Copies sum all gradients of a rank, those of a matrix that it shares too.
        return sumsMost ? COPIES : DOUBTFUL;
    case GroupRole::Expert:
    case GroupRole::Context:
        return COPIES;
    case GroupRole::Tensor:
        return PARTS;
    case GroupRole::Other:
        // Without messages there are no stages, so even a group of unknown use has ranks that do
        // the same.
        return hasStages ? std::nullopt : std::optional<uint32_t>(DOUBTFUL);
    case GroupRole::Pipeline:
        break;
    }
    return std::nullopt;
}

} // namespace

StandIns::StandIns(const Workload& whole, const RecordedPart& part, const JobStructure& structure)
    : m_part(part)
    , m_shared(part.ranks.size())
{
    const CallRoles roles(part.job, structure);
    for (uint32_t place = 0; place < part.ranks.size(); ++place)
    {
        m_contacts.push_back(FindContacts(part.job.graphs[place], whole, part.ranks[place]));
        MarkEnds(roles, structure, place);
    }
    // Each recorded rank does what it did itself. All others follow from groups.
    for (uint32_t place = 0; place < part.ranks.size(); ++place)
    {
        FindSharedGroups(roles, structure, place);
        StandIn itself{.place = place, .shift = 0, .offsets = {}};
        for (const auto& [group, ranks] : m_contacts[place].groups)
        {
            itself.offsets[group] = 0;
        }
        Add(part.ranks[place], std::move(itself));
    }
    // Groups come in the order of the set, whatever order they were found in: the surest, then the
    // smallest. A rank that is found adds groups of its own.
    while (!m_pending.empty())
    {
        const auto [precedence, size, rank, group] = *m_pending.begin();
        // The entry is taken out first, as AddMembersOf adds others.
        m_pending.erase(m_pending.begin());
        AddMembersOf(rank, group);
    }
    CheckAllFound(whole.RankCount());
}

std::vector<uint32_t>
StandIns::RanksOf(uint32_t rank, uint32_t group) const
{
    std::vector<uint32_t> ranks = ContactsOf(rank).groups.at(group);
    for (uint32_t& member : ranks)
    {
        member = static_cast<uint32_t>(member + Of(rank).offsets.at(group));
    }
    return ranks;
}

void
StandIns::FindSharedGroups(const CallRoles& roles, const JobStructure& structure, uint32_t place)
{
    const ExecutionGraph& graph = m_part.job.GraphOf(RankId{place});
    std::map<GroupRole, std::map<uint32_t, uint64_t>> bytes; // by group
    // Lists of equal ranks are those of one; groups are numbered alike in all of them.
    for (const uint32_t task : structure.ranks[structure.ranks[place].sameAs].tasks)
    {
        const ExecutionNode& node = graph.Node(task);
        if (IsCollectiveTask(node) &&
            !JoinsStages(m_part.ranks[place], m_contacts[place].groups.at(node.group)))
        {
            bytes[roles.RoleOf(place, node)][node.group] += node.size;
        }
    }
    const bool hasStages = std::ranges::any_of(
        m_contacts, [](const RankContacts& contacts) { return !contacts.peers.empty(); });
    uint64_t most = 0;
    for (const auto& [role, groups] : bytes)
    {
        const uint64_t ofRole = std::ranges::max(groups | std::views::values);
        most = SumsGradients(role) ? std::max(most, ofRole) : most;
    }
    for (const auto& [role, groups] : bytes)
    {
        for (const auto& [group, size] : groups)
        {
            if (const auto precedence = PrecedenceOf(role, size == most, hasStages))
            {
                uint32_t& least = m_shared[place].try_emplace(group, *precedence).first->second;
                least = std::min(least, *precedence);
            }
        }
    }
}

/// Of a recorded rank, and of those that it shares layers with, which are of its stage.
void
StandIns::MarkEnds(const CallRoles& roles, const JobStructure& structure, uint32_t place)
{
    const RankStructure& lists = structure.ranks[structure.ranks[place].sameAs];
    const ExecutionGraph& graph = m_part.job.GraphOf(RankId{place});
    const PipelineEnds ends = FindEnds(graph, lists);
    m_ends[m_part.ranks[place]] = ends;
    for (const uint32_t task : lists.tasks)
    {
        const ExecutionNode& node = graph.Node(task);
        const GroupRole role =
            IsCollectiveTask(node) ? roles.RoleOf(place, node) : GroupRole::Pipeline;
        if (role == GroupRole::Tensor || role == GroupRole::Expert)
        {
            for (const uint32_t member : m_contacts[place].groups.at(node.group))
            {
                // A member that is known already keeps its ends: a recorded rank tells more of
                // itself than its group does.
                m_ends.try_emplace(member, ends);
            }
        }
    }
}

/// As the group of a matrix that the first and the last stage share.
bool
StandIns::JoinsStages(uint32_t rank, const std::vector<uint32_t>& members) const
{
    return std::ranges::any_of(members,
                               [&](uint32_t member)
                               {
                                   const auto ends = m_ends.find(member);
                                   return ends != m_ends.end() && ends->second != m_ends.at(rank);
                               });
}

void
StandIns::Add(uint32_t rank, StandIn standIn)
{
    const uint32_t place = standIn.place;
    m_ends.try_emplace(rank, m_ends.at(m_part.ranks[place]));
    m_ranks.emplace(rank, std::move(standIn));
    for (const auto& [group, precedence] : m_shared[place])
    {
        m_pending.emplace(precedence, m_contacts[place].groups.at(group).size(), rank, group);
    }
}

void
StandIns::AddMembersOf(uint32_t rank, uint32_t group)
{
    // Members of different stages are no copies of each other, whatever the group looks like.
    const std::vector<uint32_t> members = RanksOf(rank, group);
    if (JoinsStages(rank, members))
    {
        return;
    }
    // Those that are known now take turns, not those that this loop adds.
    std::vector<uint32_t> known;
    std::ranges::copy_if(members,
                         std::back_inserter(known),
                         [this](uint32_t member) { return m_ranks.contains(member); });
    for (size_t position = 0; position < members.size(); ++position)
    {
        if (!m_ranks.contains(members[position]))
        {
            Add(members[position], Move(known[position % known.size()], members[position]));
        }
    }
}

/// What the rank `from` does, done by the rank `to`.
StandIn
StandIns::Move(uint32_t from, uint32_t to) const
{
    const int64_t distance = int64_t{to} - from;
    StandIn moved = Of(from);
    moved.shift += distance;
    int64_t least = to;
    int64_t largest = to;
    // A rank below 0 or far beyond would be an odd error later. Here it is said which trace is
    // missing.
    const auto see = [&](int64_t rank)
    {
        least = std::min(least, rank);
        largest = std::max(largest, rank);
    };
    for (const uint32_t peer : m_contacts[moved.place].peers)
    {
        see(peer + moved.shift);
    }
    for (auto& [group, offset] : moved.offsets)
    {
        const std::vector<uint32_t> ranks = RanksOf(from, group);
        // A group that has the new rank, too, is the same group for it. Any other one is as far
        // from it as the recorded one is from its rank.
        const bool isShared = std::ranges::find(ranks, to) != ranks.end();
        offset += isShared ? 0 : distance;
        for (const uint32_t rank : isShared ? std::vector<uint32_t>() : ranks)
        {
            see(rank + distance);
        }
    }
    if (least < 0 || largest >= MOST_COMPLETED_RANKS)
    {
        throw ConfigError("what-if",
                          fmt::format("rank {} was not recorded, and if it does what rank {} does, "
                                      "it talks to rank {}, which cannot be; give its trace",
                                      to,
                                      from,
                                      least < 0 ? least : largest));
    }
    return moved;
}

void
StandIns::CheckAllFound(uint32_t rankCount) const
{
    // Ranks are numbered without gaps, so the first that is missing is named.
    uint32_t next = 0;
    for (const auto& [rank, standIn] : m_ranks)
    {
        if (rank != next)
        {
            break;
        }
        ++next;
    }
    if (next < std::max(rankCount, RankCount()))
    {
        throw ConfigError("what-if",
                          fmt::format("rank {} was not recorded, and it is in no tensor, data, "
                                      "expert or context group of a rank that does the same; give "
                                      "the trace of a rank of its stage, or the groups of all "
                                      "ranks with --groups",
                                      next));
    }
}

} // namespace nadi
