// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/expert-copies.h"

#include "common/error.h"
#include "workload/what-if/shapes/draft-changes.h"
#include "workload/what-if/shapes/shape-reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

const std::string COPIES_OF_EXPERTS_WISH = "what-if: dp";

/// "layer 1 gradients over dp" becomes "layer 1 gradients over expert-dp", "layer 1 parameters"
/// becomes "layer 1 expert parameters".
std::string
NameOfExpertCall(const std::string& name, const std::string& group)
{
    const std::string all = " over " + group;
    if (name.ends_with(all))
    {
        return WithoutEnd(name, all) + " over expert-" + group;
    }
    const std::string what = " parameters";
    return name.ends_with(what) ? WithoutEnd(name, what) + " expert" + what : name + " of experts";
}

class ExpertSumsEditor
{
  public:
    ExpertSumsEditor(const Workload& job, const JobStructure& structure)
        : m_job(job)
        , m_reading(ReadShapes(job, structure, COPIES_OF_EXPERTS_WISH))
    {
    }

    Workload Run()
    {
        Workload made = m_job;
        for (uint32_t graph = 0; graph < made.graphs.size(); ++graph)
        {
            made.graphs[graph] = Change(graph);
        }
        for (uint32_t rank = 0; rank < made.RankCount(); ++rank)
        {
            const CommunicatorId own{static_cast<uint32_t>(made.communicators.size())};
            made.communicators.push_back({own, {RankId{rank}}});
            made.communicatorOfGroup[rank].push_back(own);
        }
        return made;
    }

  private:
    ExecutionGraph Change(uint32_t index)
    {
        const ExecutionGraph& graph = m_job.graphs[index];
        const auto rank = static_cast<uint32_t>(std::ranges::find(m_job.graphOfRank, index) -
                                                m_job.graphOfRank.begin());
        ExecutionGraphBuilder builder(graph.Source());
        AddGroups(graph, builder);
        const uint32_t group = builder.AddGroup(FreeGroupName(graph, "expert-" + NameOfAll(index)));
        DraftChanges drafts(DraftsOf(graph, m_reading.jobs.at(index)));
        PutIn(drafts, graph, m_reading.PartOf(rank), group);
        AddDrafts(drafts.Write(), builder);
        return builder.Build();
    }

    /// The name of the group of all copies.
    std::string NameOfAll(uint32_t index) const
    {
        const std::vector<TaskMeaning>& tasks = m_reading.jobs.at(index).tasks;
        const auto call = std::ranges::find_if(
            tasks, [](const TaskMeaning& task) { return !task.expertsBeside.IsEmpty(); });
        const ExecutionGraph& graph = m_job.graphs[index];
        return call == tasks.end()
                   ? "dp"
                   : graph.GroupNames()[graph.Node(static_cast<uint32_t>(call - tasks.begin()))
                                            .group];
    }

    void PutIn(DraftChanges& drafts,
               const ExecutionGraph& graph,
               const ShapeSizes& part,
               uint32_t group) const
    {
        const uint32_t count = drafts.Count();
        std::vector<uint32_t> callBeside(count, DraftTask::NO_NODE); // by draft
        for (uint32_t draft = 0; draft < count; ++draft)
        {
            if (!drafts.At(draft).meaning.expertsBeside.IsEmpty())
            {
                callBeside[draft] =
                    drafts.AddBehind(draft, MakeCall(drafts.At(draft), graph, part, group));
            }
        }
        for (uint32_t child = 0; child < count; ++child)
        {
            for (const uint32_t parent : std::vector(drafts.At(child).parents))
            {
                if (callBeside[parent] != DraftTask::NO_NODE)
                {
                    Await(drafts, child, parent, callBeside[parent]);
                }
            }
        }
    }

    /// What was there once gradients were is there once they are summed.
    static void Await(DraftChanges& drafts, uint32_t child, uint32_t parent, uint32_t call)
    {
        std::vector<uint32_t>& parents = drafts.At(child).parents;
        parents.push_back(call);
        if (IsSummingCall(drafts.At(parent).copy.node))
        {
            std::erase_if(parents, [&](uint32_t other) { return drafts.WaitsFor(parent, other); });
        }
    }

    DraftTask MakeCall(const DraftTask& call,
                       const ExecutionGraph& graph,
                       const ShapeSizes& part,
                       uint32_t group) const
    {
        DraftTask task = call;
        task.copy.name = NameOfExpertCall(call.copy.name, graph.GroupNames()[call.copy.node.group]);
        task.copy.node.group = group;
        task.copy.node.size = SizeOfExperts(call, part, m_reading.rules);
        for (const ParameterRules& rules : m_reading.alternatives)
        {
            if (SizeOfExperts(call, part, rules) != task.copy.node.size)
            {
                throw ConfigError(
                    COPIES_OF_EXPERTS_WISH,
                    fmt::format("{}: \"{}\" tells parameters of layers in several ways, so those "
                                "of their experts, which nobody sums, are unknown; a recording of "
                                "two copies of each expert shows them",
                                graph.Source(),
                                call.copy.name));
            }
        }
        return task;
    }

    /// Of a call beside one among all copies.
    static uint64_t
    SizeOfExperts(const DraftTask& call, const ShapeSizes& part, const ParameterRules& rules)
    {
        const uint64_t bytes = call.copy.node.size / call.meaning.amount.Count(part, rules);
        return bytes * CountParameters(call.meaning.expertsBeside, part, rules);
    }

    const Workload& m_job;
    ShapeReading m_reading;
};

} // namespace

bool
HaveSingleCopy(const JobStructure& structure)
{
    const uint32_t expert = structure.degrees.expert.value_or(1);
    return expert > 1 && structure.degrees.data == expert &&
           structure.degrees.context.value_or(1) == 1;
}

Workload
AddExpertSums(const Workload& job, const JobStructure& structure)
{
    return ExpertSumsEditor(job, structure).Run();
}

} // namespace nadi
