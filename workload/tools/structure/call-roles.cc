// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/call-roles.h"

#include "workload/tools/structure/task-order.h"

#include <algorithm>
#include <set>
#include <utility>

namespace nadi
{

/// Order: all ranks are counted before any role is found, as one rank may use a group in ways that
/// another does not show. The copies of experts are told apart last, by the sizes of all groups of
/// copies.
CallRoles::CallRoles(const Workload& workload, const JobStructure& structure)
    : m_workload(workload)
    , m_structure(structure)
{
    for (const RankStructure& rank : m_structure.ranks)
    {
        CountRank(rank.rank);
    }
    for (const auto& [id, counts] : m_counts)
    {
        m_roles[id] = FindRole(id, counts);
        m_hasScatteredSums |=
            m_roles[id] == GroupRole::Tensor && counts.scatteredSums[FORWARD_LAYER] > 0;
    }
    SeparateExpertCopies();
}

/// Each graph numbers its groups for itself, so groups of different ranks are compared by
/// communicator.
CommunicatorId
CallRoles::CommunicatorOf(uint32_t rank, const ExecutionNode& node) const
{
    return m_workload.communicatorOfGroup[rank][node.group];
}

/// What is neither an exchange nor a gather counts as a sum: all-reduces, and broadcasts and
/// reductions too.
void
CallRoles::CountCalls(uint32_t rank, const TaskList& tasks, Place place)
{
    const ExecutionGraph& graph = m_workload.GraphOf(RankId{rank});
    for (const uint32_t task : tasks)
    {
        const ExecutionNode& node = graph.Node(task);
        // Sums of losses and norms say nothing of what a group is for.
        if (!IsCollectiveTask(node) || (place == ELSEWHERE && IsOfFewNumbers(node)))
        {
            continue;
        }
        CallCounts& counts = m_counts[CommunicatorOf(rank, node)];
        switch (node.collective)
        {
        case CollectiveType::AllToAll:
            ++counts.exchanges[place];
            break;
        case CollectiveType::AllGather:
            ++counts.gathers[place];
            break;
        case CollectiveType::ReduceScatter:
            ++counts.scatteredSums[place];
            ++counts.sums[place];
            break;
        default:
            ++counts.sums[place];
            break;
        }
    }
}

void
CallRoles::AddMessages(uint32_t rank, const TaskList& tasks, GroupRole role)
{
    const ExecutionGraph& graph = m_workload.GraphOf(RankId{rank});
    bool talks = false;
    for (const uint32_t task : tasks)
    {
        const ExecutionNode& node = graph.Node(task);
        if (IsMessageTask(node))
        {
            GroupUse& use = m_messages[role];
            ++use.calls[node.type == NodeType::Send ? "send" : "receive"];
            use.bytes += node.type == NodeType::Send ? node.size : 0;
            talks = true;
        }
    }
    // Ranks are counted one after the other, so a rank that is listed is the last one of the list.
    if (talks && (m_messages[role].ranks.empty() || m_messages[role].ranks.back() != rank))
    {
        m_messages[role].ranks.push_back(rank);
    }
}

/// Calls are counted by where they stand, which says what they are for: in the layers of a forward
/// or of a backward pass, or elsewhere.
void
CallRoles::CountRank(uint32_t rank)
{
    const RankStructure& lists = m_structure.ranks[m_structure.ranks[rank].sameAs];
    for (const LayerRunPass& pass : lists.passes)
    {
        for (const LayerPass& layer : pass.layers)
        {
            CountCalls(rank, layer.tasks, pass.isForward ? FORWARD_LAYER : BACKWARD_LAYER);
            // What not every layer has is of no layer: sums of gradients come when a bucket is
            // full.
            CountCalls(rank, layer.extra, ELSEWHERE);
            AddMessages(rank, layer.tasks, GroupRole::Context);
        }
        for (const TaskList* const list : {&pass.before, &pass.after})
        {
            CountCalls(rank, *list, ELSEWHERE);
            AddMessages(rank, *list, GroupRole::Pipeline);
        }
    }
    for (const TaskList* const list : {&lists.head, &lists.optimizer})
    {
        CountCalls(rank, *list, ELSEWHERE);
        AddMessages(rank, *list, GroupRole::Other);
    }
}

/// Whether its recorded members are of exactly two stages.
bool
CallRoles::SpansStages(CommunicatorId id) const
{
    std::set<uint32_t> stages;
    for (const RankId rank : m_workload.communicators[id.value].ranks)
    {
        if (rank.value < m_structure.ranks.size())
        {
            stages.insert(m_structure.ranks[rank.value].stage);
        }
    }
    return stages.size() == 2;
}

/// The role of all calls on a communicator. RoleOf makes an exception of its all-to-alls, which are
/// of experts where one of them stands in a forward layer.
GroupRole
CallRoles::FindRole(CommunicatorId id, const CallCounts& counts) const
{
    // A group may have several uses, and the first role that fits is taken: ranks that sum within
    // forward layers also sum gradients of norms, and the ranks of an embedding sum its gradients
    // as copies do.
    if (counts.sums[FORWARD_LAYER] > 0)
    {
        return GroupRole::Tensor;
    }
    if (SpansStages(id))
    {
        return GroupRole::Embedding;
    }
    // Whether there are calls other than all-to-alls. Sums in forward layers are not asked for, as
    // the group would be of tensor parallelism.
    const bool calls = counts.gathers[FORWARD_LAYER] + counts.gathers[BACKWARD_LAYER] +
                           counts.gathers[ELSEWHERE] + counts.sums[BACKWARD_LAYER] +
                           counts.sums[ELSEWHERE] >
                       0;
    if (!calls && counts.exchanges[FORWARD_LAYER] > 0)
    {
        return GroupRole::Expert;
    }
    return m_structure.hasBackward && calls ? GroupRole::Data : GroupRole::Other;
}

// A rank that has experts of its own sums their gradients with fewer ranks than the others.
void
CallRoles::SeparateExpertCopies()
{
    const bool hasExperts = std::ranges::any_of(
        m_counts, [](const auto& entry) { return entry.second.exchanges[FORWARD_LAYER] > 0; });
    size_t largest = 0;
    for (const auto& [id, role] : m_roles)
    {
        const size_t size = m_workload.communicators[id.value].ranks.size();
        largest = role == GroupRole::Data ? std::max(largest, size) : largest;
    }
    for (auto& [id, role] : m_roles)
    {
        const size_t size = m_workload.communicators[id.value].ranks.size();
        if (hasExperts && role == GroupRole::Data && size < largest)
        {
            role = GroupRole::ExpertData;
        }
    }
}

/// Other also where CountCalls has counted no call of the communicator, as all stand outside of
/// layers and are of few numbers.
GroupRole
CallRoles::RoleOf(uint32_t rank, const ExecutionNode& node) const
{
    const CommunicatorId id = CommunicatorOf(rank, node);
    // One group may exchange tokens of experts and sum gradients too, so the role is that of the
    // call.
    const bool exchanges = node.collective == CollectiveType::AllToAll;
    const auto counts = m_counts.find(id);
    if (exchanges && counts != m_counts.end() && counts->second.exchanges[FORWARD_LAYER] > 0)
    {
        return GroupRole::Expert;
    }
    const auto role = m_roles.find(id);
    return role == m_roles.end() ? GroupRole::Other : role->second;
}

std::vector<GroupUse>
CallRoles::ListUses() const
{
    std::map<std::pair<CommunicatorId, GroupRole>, GroupUse> uses;
    for (const RankStructure& rank : m_structure.ranks)
    {
        const ExecutionGraph& graph = m_workload.GraphOf(RankId{rank.rank});
        for (const uint32_t task : m_structure.ranks[rank.sameAs].tasks)
        {
            const ExecutionNode& node = graph.Node(task);
            if (!IsCollectiveTask(node))
            {
                continue;
            }
            const CommunicatorId id = CommunicatorOf(rank.rank, node);
            GroupUse& use = uses[{id, RoleOf(rank.rank, node)}];
            if (use.ranks.empty())
            {
                use.name = graph.GroupNames()[node.group];
                use.role = RoleOf(rank.rank, node);
                for (const RankId member : m_workload.communicators[id.value].ranks)
                {
                    use.ranks.push_back(member.value);
                }
            }
            ++use.calls[std::string(ToText(node.collective))];
            use.bytes += node.size;
        }
    }
    std::vector<GroupUse> list;
    for (auto& [key, use] : uses)
    {
        list.push_back(std::move(use));
    }
    for (const auto& [role, use] : m_messages)
    {
        list.push_back(use);
        list.back().role = role;
    }
    return list;
}

} // namespace nadi
