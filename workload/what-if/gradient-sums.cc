// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/gradient-sums.h"

#include "workload/what-if/counted-parameters.h"
#include "workload/what-if/gradient-units.h"
#include "workload/what-if/graph-changes.h"

#include <algorithm>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

class SumsEditor
{
  public:
    SumsEditor(const Workload& job, const JobStructure& structure)
        : m_structure(structure)
        , m_parameters(job, structure)
        , m_result{job, std::vector<std::set<uint32_t>>(job.graphs.size()), {}}
    {
    }

    SummedJob Run()
    {
        std::vector<std::pair<uint32_t, ExecutionGraph>> made;
        std::set<uint32_t> done;
        for (const RankStructure& rank : m_structure.ranks)
        {
            const uint32_t graph = m_result.job.graphOfRank[rank.rank];
            if (done.insert(graph).second)
            {
                made.emplace_back(graph, Change(rank));
            }
        }
        for (auto& [graph, changed] : made)
        {
            m_result.job.graphs[graph] = std::move(changed);
        }
        AddGroupsOfRanks();
        m_result.notes.push_back(
            "Gradients of copies are summed layer by layer. They have as many bytes as "
            "parameters; " +
            m_parameters.DescribeBeyond());
        if (std::string note = m_parameters.DescribeEnds(); !note.empty())
        {
            m_result.notes.push_back(std::move(note));
        }
        return std::move(m_result);
    }

  private:
    ExecutionGraph Change(const RankStructure& rank)
    {
        const RecordedStage& stage = m_parameters.StageOf(rank);
        CheckAwaitsLastAlone(stage);
        GraphChanges changes =
            PutSumsIn(stage, m_parameters.UnitsOf(rank), m_parameters.ElementBytesOf(rank));
        SetGates(stage, changes);
        RegroupCalls(stage, changes);
        return RewriteGraph(stage.Graph(), changes);
    }

    static GraphChanges PutSumsIn(const RecordedStage& stage,
                                  const std::vector<GradientUnit>& units,
                                  uint64_t gradientBytes)
    {
        GraphChanges changes;
        const ExecutionGraph& graph = stage.Graph();
        // In the order of their last kernels, as RewriteGraph needs them.
        for (const GradientUnit& unit : units)
        {
            AddedCall sum;
            sum.call.name = NameOfGradients(graph, unit) + " gradients over dp";
            sum.call.node = {.size = unit.dense.parameters * gradientBytes,
                             .group = GroupOf(graph, AddedGroup::Copies),
                             .type = NodeType::Collective,
                             .collective = CollectiveType::AllReduce};
            sum.after = unit.kernels;
            sum.behind = unit.kernels.back();
            AddedCall ofExperts = sum;
            ofExperts.call.name = NameOfGradients(graph, unit) + " gradients over expert-dp";
            ofExperts.call.node.size = unit.experts.parameters * gradientBytes;
            ofExperts.call.node.group = GroupOf(graph, AddedGroup::ExpertCopies);
            for (AddedCall* const call : {&sum, &ofExperts})
            {
                // A unit without experts has no sum of theirs.
                if (call->call.node.size > 0)
                {
                    changes.added.push_back(std::move(*call));
                }
            }
        }
        return changes;
    }

    /// The groups that a graph gets, in this order.
    enum class AddedGroup : uint8_t
    {
        Copies,
        ExpertCopies,
        OfCopy, ///< the ranks of a copy
    };

    /// Behind those of a graph that has none of them yet.
    static uint32_t GroupOf(const ExecutionGraph& graph, AddedGroup group)
    {
        return static_cast<uint32_t>(graph.GroupNames().size() + static_cast<size_t>(group));
    }

    static void SetGates(const RecordedStage& stage, GraphChanges& changes)
    {
        for (uint32_t node = 0; node < stage.Graph().NodeCount(); ++node)
        {
            // A node outside of passes that waited for kernels of a unit, such as the optimizer,
            // waits for the sum of their gradients instead.
            for (const uint32_t parent : stage.PlaceOf(node) ? TaskList() : stage.ParentsOf(node))
            {
                for (size_t sum = 0; sum < changes.added.size(); ++sum)
                {
                    const std::vector<uint32_t>& after = changes.added[sum].after;
                    std::vector<size_t>& gate = changes.gates[node];
                    if (std::ranges::count(after, parent) > 0 && std::ranges::count(gate, sum) == 0)
                    {
                        gate.push_back(sum);
                    }
                }
            }
        }
    }

    /// Calls of all ranks within passes are of the ranks of a copy.
    static void RegroupCalls(const RecordedStage& stage, GraphChanges& changes)
    {
        // All graphs get all three, called or not, as AddGroupsOfRanks finds them by their place.
        changes.groups = {FreeGroupName(stage.Graph(), "dp"),
                          FreeGroupName(stage.Graph(), "expert-dp"),
                          FreeGroupName(stage.Graph(), "copy")};
        for (uint32_t node = 0; node < stage.Graph().NodeCount(); ++node)
        {
            const ExecutionNode& task = stage.Graph().Node(node);
            if (task.type == NodeType::Collective && task.group == 0 && stage.PlaceOf(node))
            {
                changes.groupOf[node] = GroupOf(stage.Graph(), AddedGroup::OfCopy);
            }
        }
    }

    /// Of each rank, those of its copies to come, and that of its own copy.
    void AddGroupsOfRanks()
    {
        Workload& job = m_result.job;
        for (uint32_t graph = 0; graph < job.graphs.size(); ++graph)
        {
            const auto end = static_cast<uint32_t>(job.graphs[graph].GroupNames().size());
            // The last of the three is the group of the copy, which has all ranks of the job so
            // far.
            m_result.groupsOfGraph[graph] = {end - 3, end - 2};
        }
        for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
        {
            // So far, a group of copies to come has its rank alone. CopiesEditor makes it one of
            // all copies.
            const CommunicatorId own{static_cast<uint32_t>(job.communicators.size())};
            job.communicators.push_back({own, {RankId{rank}}});
            job.communicatorOfGroup[rank].insert(job.communicatorOfGroup[rank].end(),
                                                 {own, own, CommunicatorId{0}});
        }
    }

    const JobStructure& m_structure;
    CountedParameters m_parameters;
    SummedJob m_result;
};

} // namespace

SummedJob
AddGradientSums(const Workload& job, const JobStructure& structure)
{
    return SumsEditor(job, structure).Run();
}

} // namespace nadi
