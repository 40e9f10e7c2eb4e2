// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/expert-copies.h"

#include "common/error.h"
#include "workload/what-if/shapes/draft-changes.h"
#include "workload/what-if/shapes/shape-reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// "layer 1 gradients over dp" becomes "layer 1 gradients over expert-dp", "layer 1 parameters"
/// becomes "layer 1 expert parameters".
std::string
NameOfExpertCall(const std::string& name)
{
    const std::string over = " over ";
    const size_t at = name.rfind(over);
    const bool isLastWord =
        at != std::string::npos && name.find(' ', at + over.size()) == std::string::npos;
    if (isLastWord)
    {
        return name.substr(0, at) + over + "expert-" + name.substr(at + over.size());
    }
    const std::string what = " parameters";
    return name.ends_with(what) ? WithoutEnd(name, what) + " expert" + what : name + " of experts";
}

/// Experts whose gradients or shards a call among copies has together with others.
ParameterSet
ExpertsWithin(const TaskMeaning& task)
{
    const bool isOfBoth =
        task.amount.kind == AmountKind::Parameters && !task.amount.set.Dense().IsEmpty();
    return isOfBoth ? task.amount.set.Experts() : ParameterSet();
}

/// Whether a call is among copies of experts alone.
bool
IsOfExpertCopies(const TaskMeaning& task)
{
    return task.amount.kind == AmountKind::Parameters && task.amount.set.Dense().IsEmpty();
}

/// Whether a call in no tensor group is of what experts get: an all-to-all.
bool
IsExchange(const TaskMeaning& task)
{
    return task.amount.kind == AmountKind::RoutedShare && task.call == TensorCall::None;
}

/// How large a call among copies is without experts, and that of its experts.
struct SizesApart
{
    uint64_t dense = 0;
    uint64_t experts = 0;

    bool operator==(const SizesApart&) const = default;
};

/// What was there once gradients were is there once they are summed.
void
Await(DraftChanges& drafts, uint32_t child, uint32_t parent, uint32_t call)
{
    std::vector<uint32_t>& parents = drafts.At(child).parents;
    parents.push_back(call);
    // Behind both sums, the kernels that made the gradients are done.
    if (IsSummingCall(drafts.At(parent).copy.node))
    {
        std::erase_if(parents, [&](uint32_t other) { return drafts.WaitsFor(parent, other); });
    }
}

class ExpertSumsEditor
{
  public:
    ExpertSumsEditor(const Workload& job, const JobStructure& structure, const std::string& wish)
        : m_job(job)
        , m_wish(wish)
        , m_isSingleCopy(HaveSingleCopy(structure))
        , m_reading(ReadShapes(job, structure, wish))
    {
    }

    Workload Run()
    {
        Workload made = m_job;
        for (uint32_t graph = 0; graph < made.graphs.size(); ++graph)
        {
            if (const std::optional<uint32_t> all = FindGroup(graph))
            {
                made.graphs[graph] = Change(graph, *all);
            }
        }
        for (uint32_t rank = 0; rank < made.RankCount(); ++rank)
        {
            if (const std::optional<uint32_t> all = FindGroup(m_job.graphOfRank[rank]))
            {
                AddGroupsOf(rank, *all, made);
            }
        }
        return made;
    }

  private:
    /// Of a call among copies: the experts that are to have one of their own.
    ParameterSet ExpertsOf(const TaskMeaning& task) const
    {
        // With a single copy of each expert, calls among all copies are of the rest, and those of
        // experts are missing. With all experts in all copies, one call may be of both.
        return m_isSingleCopy ? task.expertsBeside : ExpertsWithin(task);
    }

    /// The group of all copies in a graph of which some calls get another group; nothing: none do.
    std::optional<uint32_t> FindGroup(uint32_t index) const
    {
        const auto reading = m_reading.jobs.find(index);
        if (reading == m_reading.jobs.end())
        {
            return std::nullopt; // of a copy that is no more
        }
        const ExecutionGraph& graph = m_job.graphs[index];
        const std::vector<TaskMeaning>& tasks = reading->second.tasks;
        std::optional<uint32_t> all;
        for (uint32_t node = 0; node < graph.NodeCount() && !all; ++node)
        {
            const bool isOfAll = tasks[node].amount.kind == AmountKind::Parameters &&
                                 !tasks[node].amount.set.Dense().IsEmpty();
            all = isOfAll ? std::optional(graph.Node(node).group) : std::nullopt;
        }
        for (uint32_t node = 0; node < graph.NodeCount() && all; ++node)
        {
            const bool isOther = graph.Node(node).group == *all &&
                                 (IsOfExpertCopies(tasks[node]) || IsExchange(tasks[node]));
            if (isOther || !ExpertsOf(tasks[node]).IsEmpty())
            {
                return all;
            }
        }
        return std::nullopt;
    }

    /// Copies of the experts of a rank: so far it alone, or all copies. Ranks that share experts,
    /// where all copies do: these.
    void AddGroupsOf(uint32_t rank, uint32_t all, Workload& made) const
    {
        const CommunicatorId ofAll = made.communicatorOfGroup[rank][all];
        CommunicatorId ofExperts = ofAll;
        if (m_isSingleCopy)
        {
            ofExperts = CommunicatorId{static_cast<uint32_t>(made.communicators.size())};
            made.communicators.push_back({ofExperts, {RankId{rank}}});
        }
        // Order: as Change adds these groups to the graph, copies of experts before ranks that
        // share them.
        made.communicatorOfGroup[rank].push_back(ofExperts);
        made.communicatorOfGroup[rank].push_back(ofAll);
    }

    ExecutionGraph Change(uint32_t index, uint32_t all) const
    {
        const ExecutionGraph& graph = m_job.graphs[index];
        ExecutionGraphBuilder builder(graph.Source());
        AddGroups(graph, builder);
        const uint32_t ofExperts =
            builder.AddGroup(FreeGroupName(graph, "expert-" + graph.GroupNames()[all]));
        const uint32_t sharing = builder.AddGroup(FreeGroupName(graph, "ep"));
        std::vector<DraftTask> tasks = DraftsOf(graph, m_reading.jobs.at(index));
        for (DraftTask& task : tasks)
        {
            uint32_t& group = task.copy.node.group;
            const bool isOfAll = task.copy.node.type == NodeType::Collective && group == all;
            group = isOfAll && IsOfExpertCopies(task.meaning) ? ofExperts
                    : isOfAll && IsExchange(task.meaning)     ? sharing
                                                              : group;
        }
        DraftChanges drafts(std::move(tasks));
        const auto rank = static_cast<uint32_t>(std::ranges::find(m_job.graphOfRank, index) -
                                                m_job.graphOfRank.begin());
        PutIn(drafts, graph, m_reading.PartOf(rank), ofExperts);
        AddDrafts(drafts.Write(), builder);
        return builder.Build();
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
            if (!ExpertsOf(drafts.At(draft).meaning).IsEmpty())
            {
                const SizesApart sizes = FindSizes(drafts.At(draft), graph, part);
                callBeside[draft] =
                    drafts.AddBehind(draft, MakeCall(drafts.At(draft), sizes.experts, group));
                drafts.At(draft).copy.node.size = sizes.dense;
            }
        }
        // New calls too, as gathers may wait for those before them.
        for (uint32_t child = 0; child < drafts.Count(); ++child)
        {
            // A copy of the list, which Await changes.
            for (const uint32_t parent : std::vector(drafts.At(child).parents))
            {
                if (callBeside[parent] != DraftTask::NO_NODE)
                {
                    Await(drafts, child, parent, callBeside[parent]);
                }
            }
        }
    }

    static DraftTask MakeCall(const DraftTask& call, uint64_t size, uint32_t group)
    {
        DraftTask task = call;
        task.origin = DraftTask::NO_NODE;
        task.copy.name = NameOfExpertCall(call.copy.name);
        task.copy.node.group = group;
        task.copy.node.size = size;
        return task;
    }

    /// Ranks that have all copies of what is not of experts have parts of the experts and their
    /// shards.
    SizesApart
    SizesOf(const DraftTask& call, const ShapeSizes& part, const ParameterRules& rules) const
    {
        const Amount& amount = call.meaning.amount;
        const uint64_t bytes = call.copy.node.size / amount.Count(part, rules);
        Amount dense = amount;
        dense.set = amount.set.Dense();
        Amount experts = amount;
        experts.set = ExpertsOf(call.meaning);
        experts.expertRanks = amount.expertRanks == 0 ? 0 : amount.copies;
        return {.dense = bytes * dense.Count(part, rules),
                .experts = bytes * experts.Count(part, rules)};
    }

    /// Throws ConfigError.
    SizesApart
    FindSizes(const DraftTask& call, const ExecutionGraph& graph, const ShapeSizes& part) const
    {
        const SizesApart sizes = SizesOf(call, part, m_reading.rules);
        // Several rules may explain the recording. That matters only where they give other sizes.
        for (const ParameterRules& rules : m_reading.alternatives)
        {
            if (SizesOf(call, part, rules) != sizes)
            {
                throw ConfigError(
                    m_wish,
                    fmt::format("{}: \"{}\" tells the parameters of layers in several ways, so "
                                "those of their experts are unknown; a recording of two or more "
                                "copies that share experts shows them",
                                graph.Source(),
                                call.copy.name));
            }
        }
        return sizes;
    }

    const Workload& m_job;
    const std::string& m_wish;
    bool m_isSingleCopy;
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
SumExpertsApart(const Workload& job, const JobStructure& structure, const std::string& wish)
{
    return ExpertSumsEditor(job, structure, wish).Run();
}

} // namespace nadi
