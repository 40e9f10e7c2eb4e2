// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/named-groups.h"

#include "workload/tools/structure/call-roles.h"
#include "workload/tools/structure/task-order.h"
#include "workload/what-if/graph-changes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

namespace
{

/// Makes one new group for each role in each graph. A call of all ranks may be one of all ranks in
/// any job, or one of an axis that has all ranks in this job. The degrees tell which (IsOfAll).
class GroupNamer
{
  public:
    GroupNamer(const Workload& job, const JobStructure& structure)
        : m_job(job)
        , m_structure(structure)
        , m_roles(job, structure)
    {
    }

    Workload Run() const
    {
        Workload made = m_job;
        for (uint32_t graph = 0; graph < m_job.graphs.size(); ++graph)
        {
            const auto first = std::ranges::find(m_job.graphOfRank, graph);
            if (first == m_job.graphOfRank.end())
            {
                // The groups of a graph are known from a rank that runs it, and nobody runs this
                // one.
                continue;
            }
            const auto rank = static_cast<uint32_t>(first - m_job.graphOfRank.begin());
            const GraphChanges changes = FindChanges(rank, m_job.graphs[graph]);
            if (!changes.groups.empty())
            {
                made.graphs[graph] = RewriteGraph(m_job.graphs[graph], changes);
                AddGroups(graph, changes.groups.size(), made);
            }
        }
        return made;
    }

  private:
    GraphChanges FindChanges(uint32_t rank, const ExecutionGraph& graph) const
    {
        GraphChanges changes;
        std::map<GroupRole, uint32_t> groupOfRole;
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            const std::optional<GroupRole> role = RoleOf(rank, graph.Node(node));
            if (!role)
            {
                continue;
            }
            const auto next =
                static_cast<uint32_t>(graph.GroupNames().size() + changes.groups.size());
            const auto [group, isNew] = groupOfRole.emplace(*role, next);
            if (isNew)
            {
                changes.groups.push_back(FreeGroupName(graph, std::string(ToText(*role))));
            }
            changes.groupOf[node] = group->second;
        }
        return changes;
    }

    /// Of a call of all ranks that need not be one of all ranks of another job.
    std::optional<GroupRole> RoleOf(uint32_t rank, const ExecutionNode& node) const
    {
        if (node.type != NodeType::Collective || node.group != 0)
        {
            return std::nullopt;
        }
        const GroupRole role = m_roles.RoleOf(rank, node);
        return IsOfAll(role, node) ? std::optional(role) : std::nullopt;
    }

    /// Whether all ranks of the job are one group of this role, and the call is of it.
    bool IsOfAll(GroupRole role, const ExecutionNode& node) const
    {
        const uint32_t ranks = m_job.RankCount();
        const FoundDegrees& degrees = m_structure.degrees;
        // Without tensor parallelism and stages every rank has all layers, so all ranks together
        // are copies, or share experts.
        const bool areCopies = degrees.tensor.value_or(1) == 1 && degrees.pipeline.value_or(1) == 1;
        switch (role)
        {
        case GroupRole::Tensor:
            return degrees.tensor == ranks && !IsOfFewNumbers(node);
        case GroupRole::Expert:
            return areCopies;
        case GroupRole::Data:
        case GroupRole::ExpertData:
            return areCopies && !IsOfFewNumbers(node);
        case GroupRole::Embedding:
            // The two ranks are the first and the last stage.
            return ranks == 2 && degrees.pipeline == 2U && !IsOfFewNumbers(node);
        case GroupRole::Context:
        case GroupRole::Pipeline:
        case GroupRole::Other:
            break;
        }
        return false;
    }

    /// Each rank of the graph has all ranks in its new groups.
    void AddGroups(uint32_t graph, size_t count, Workload& made) const
    {
        for (uint32_t rank = 0; rank < m_job.RankCount(); ++rank)
        {
            if (m_job.graphOfRank[rank] == graph)
            {
                std::vector<CommunicatorId>& groups = made.communicatorOfGroup[rank];
                // The groups have all ranks still. It is enough that they have names of their own.
                groups.insert(groups.end(), count, CommunicatorId{0});
            }
        }
    }

    const Workload& m_job;
    const JobStructure& m_structure;
    CallRoles m_roles;
};

} // namespace

Workload
NameGroups(const Workload& job, const JobStructure& structure)
{
    return GroupNamer(job, structure).Run();
}

} // namespace nadi
