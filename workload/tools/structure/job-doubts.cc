// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/job-doubts.h"

#include "workload/document/clock-alignment.h"
#include "workload/tools/structure/added-gradients.h"
#include "workload/tools/structure/equal-kernels.h"
#include "workload/tools/structure/message-agreement.h"
#include "workload/tools/structure/partial-iterations.h"
#include "workload/tools/structure/pattern-misfit.h"
#include "workload/tools/structure/rank-agreement.h"
#include "workload/tools/structure/task-order.h"
#include "workload/tools/structure/unlike-ranks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

/// Passes of one model differ less in their operations, as experts get other numbers of tokens.
constexpr double ODD_SPREAD = 1.5;

/// An embedding does less, beside one layer.
constexpr double LIKE_A_LAYER = 0.5;

/// How many layers the passes of a rank go through: several numbers, where its chunks differ.
std::set<size_t>
CountLayers(const RankStructure& rank)
{
    std::set<size_t> counts;
    for (const LayerRunPass& pass : rank.passes)
    {
        counts.insert(pass.layers.size());
    }
    return counts;
}

/// By which factor the layers of a pass do more than those of another one of its direction and
/// chunk, at most; 1 where no two passes differ.
double
FindSpreadOfWork(const ExecutionGraph& graph, const RankStructure& rank)
{
    std::map<std::pair<bool, uint32_t>, std::pair<uint64_t, uint64_t>> bounds;
    for (const LayerRunPass& pass : rank.passes)
    {
        uint64_t work = 0;
        for (const LayerPass& layer : pass.layers)
        {
            for (const uint32_t task : layer.tasks)
            {
                work += graph.Node(task).operations;
            }
        }
        const auto [at, isNew] =
            bounds.try_emplace({pass.isForward, pass.chunk}, std::pair(work, work));
        auto& [least, most] = at->second;
        least = std::min(least, work);
        most = std::max(most, work);
    }
    double spread = 1;
    for (const auto& [kind, bound] : bounds)
    {
        const auto [least, most] = bound;
        // Passes without operations tell nothing of their work.
        spread = std::max(
            spread, least == 0 ? 1.0 : static_cast<double>(most) / static_cast<double>(least));
    }
    return spread;
}

/// Tasks of layers or not, that no operator of the host launches. A single operator is none that
/// was recorded, but the wait before a recording (BeginLater). 0 where no host was recorded, as no
/// task has a launch then.
size_t
CountWithoutLaunch(const ExecutionGraph& graph, const RankStructure& rank)
{
    bool hasHost = false;
    std::vector<bool> isLaunched(graph.NodeCount());
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        if (graph.Node(index).isCpu)
        {
            hasHost = hasHost || graph.Name(index) != BEFORE_RECORDING;
            for (const uint32_t child : graph.Children(index))
            {
                isLaunched[child] = true;
            }
        }
    }
    const auto isWithout = [&](uint32_t task)
    { return !isLaunched[task] && !graph.Node(task).isCpu; };
    return hasHost ? static_cast<size_t>(std::ranges::count_if(rank.tasks, isWithout)) : 0;
}

uint64_t
SumOperations(const ExecutionGraph& graph, const TaskList& tasks)
{
    uint64_t operations = 0;
    for (const uint32_t task : tasks)
    {
        operations += graph.Node(task).operations;
    }
    return operations;
}

/// How many layers' work is done before the layers of a forward pass, where it may be that of a
/// first layer unlike the others; 0 where it is less.
double
FindLayersBefore(const ExecutionGraph& graph, const RankStructure& rank)
{
    double most = 0;
    for (const LayerRunPass& pass : rank.passes)
    {
        if (pass.isForward && !pass.layers.empty())
        {
            const auto before = static_cast<double>(SumOperations(graph, pass.before));
            const auto layer = static_cast<double>(SumOperations(graph, pass.layers.front().tasks));
            most = layer > 0 ? std::max(most, before / layer) : most;
        }
    }
    return most < LIKE_A_LAYER ? 0 : most;
}

/// Sums of gradients and gathers stand in RankStructure::optimizer too, so only a kernel shows an
/// optimizer.
bool
HasOptimizerKernel(const Workload& workload, const JobStructure& structure)
{
    return std::ranges::any_of(
        structure.ranks,
        [&workload](const RankStructure& rank)
        {
            const ExecutionGraph& graph = workload.GraphOf(RankId{rank.rank});
            return std::ranges::any_of(
                rank.optimizer, [&graph](uint32_t task) { return IsKernelTask(graph.Node(task)); });
        });
}

/// Whether parameters lie in memory, which updates them, so that no optimizer is to be expected.
bool
StoresGradients(const Workload& workload)
{
    const auto isStore = [](const ExecutionNode& node)
    { return node.type == NodeType::MemoryStore; };
    return std::ranges::any_of(workload.graphs,
                               [&isStore](const ExecutionGraph& graph)
                               { return std::ranges::any_of(graph.Nodes(), isStore); });
}

bool
HasDegrees(const FoundDegrees& degrees)
{
    return degrees.tensor || degrees.context || degrees.data || degrees.pipeline || degrees.expert;
}

/// A sentence, or empty. Degrees that a user gives say how ranks without a trace are laid out, so
/// none are absent then.
std::string
FindAbsentRanks(uint32_t ranks, const FoundDegrees& hints, uint32_t recordedRanks)
{
    if (recordedRanks <= ranks || HasDegrees(hints))
    {
        return "";
    }
    return fmt::format("The recorded job had {} ranks, and {} are known; where no groups name the "
                       "others, --degrees, as in tp={}, says how they are laid out.",
                       recordedRanks,
                       ranks,
                       recordedRanks);
}

/// Whether all degrees are known whose product is the number of ranks. That of experts is no factor
/// (MultiplyDegrees).
bool
AreComplete(const FoundDegrees& degrees)
{
    return degrees.tensor && degrees.context && degrees.pipeline && degrees.data;
}

/// Groups and messages go before a hint: edits follow them. Where they do not lay out all ranks, a
/// degree of 1 says nothing, and where ranks are missing, none does.
std::string
FindContradiction(uint32_t ranks, const DegreeEvidence& degrees, bool isWhole)
{
    const auto& [hints, shown] = degrees;
    const bool isLaidOut = AreComplete(shown) && MultiplyDegrees(shown) == ranks;
    const std::tuple<const char*, std::optional<uint32_t>, std::optional<uint32_t>> pairs[] = {
        {"tp", hints.tensor, shown.tensor},
        {"cp", hints.context, shown.context},
        {"pp", hints.pipeline, shown.pipeline},
        {"dp", hints.data, shown.data},
        {"ep", hints.expert, shown.expert}};
    for (const auto& [name, hint, found] : pairs)
    {
        if (hint && found && *hint != *found && (isLaidOut || (isWhole && *found > 1)))
        {
            return fmt::format("Edits follow the groups and messages of the traces, which show {} "
                               "{} in a job of {} ranks; leave {}={} out of --degrees, or give the "
                               "groups of all ranks with --groups.",
                               name,
                               *found,
                               ranks,
                               name,
                               *hint);
        }
    }
    return "";
}

/// A pattern that fits layers forward alone leaves the passes backward outside of all layers.
std::string
FindPartialHint(const JobStructure& structure)
{
    constexpr double least = 0.5; // of the kernels of a pass forward
    if (structure.evidence != StructureEvidence::Hint || structure.hasBackward ||
        structure.confidence >= least)
    {
        return "";
    }
    return fmt::format("The layers that --layer-pattern finds hold {:.0f} % of the kernels, and no "
                       "pass goes backward, so it may fit layers of passes forward alone; leave it "
                       "out if layers are found without it.",
                       100 * structure.confidence);
}

/// A sentence, or empty where the degrees fit or one of them is not known.
std::string
FindWrongDegrees(uint32_t ranks, const FoundDegrees& degrees)
{
    if (!AreComplete(degrees))
    {
        return "";
    }
    const uint64_t made = MultiplyDegrees(degrees);
    return made == ranks
               ? ""
               : fmt::format("The degrees tp {} * cp {} * pp {} * dp {} make {} ranks, and the job "
                             "has {}; --degrees says what they are.",
                             *degrees.tensor,
                             *degrees.context,
                             *degrees.pipeline,
                             *degrees.data,
                             made,
                             ranks);
}

} // namespace

std::string
FindUnequalStages(const JobStructure& structure)
{
    std::map<uint32_t, const RankStructure*> firsts; // by stage
    for (const RankStructure& rank : structure.ranks)
    {
        if (rank.passes.empty())
        {
            continue; // as those that share the lists of another rank
        }
        const RankStructure& other = *firsts.try_emplace(rank.stage, &rank).first->second;
        const std::set<size_t> layers = CountLayers(rank);
        const std::set<size_t> others = CountLayers(other);
        if (layers != others)
        {
            return DescribeDoubt(
                fmt::format("passes of rank {} go through {} layers, and those of rank "
                            "{}, which is of the same stage, through {}",
                            other.rank,
                            fmt::join(others, " or "),
                            rank.rank,
                            fmt::join(layers, " or ")));
        }
        if (rank.passes.size() != other.passes.size())
        {
            return DescribeDoubt(fmt::format("rank {} goes through {} passes, and rank {}, which "
                                             "is of the same stage, through {}",
                                             other.rank,
                                             other.passes.size(),
                                             rank.rank,
                                             rank.passes.size()));
        }
    }
    return "";
}

uint64_t
MultiplyDegrees(const FoundDegrees& degrees)
{
    uint64_t ranks = 1;
    // Experts lie on ranks that the other degrees count, so their degree is left out. Each product
    // is cut to 32 bits, so the next one fits 64.
    for (const auto& degree : {degrees.tensor, degrees.context, degrees.data, degrees.pipeline})
    {
        ranks = std::min(ranks * degree.value_or(1), uint64_t{UINT32_MAX});
    }
    return ranks;
}

std::string
FindObstacle(const Workload& workload,
             const JobStructure& structure,
             const DegreeEvidence& degrees,
             uint32_t recordedRanks)
{
    const uint32_t ranks = workload.RankCount();
    const uint32_t jobRanks = std::max(ranks, recordedRanks);
    for (const std::string& found : {FindDisagreement(workload),
                                     FindAddedGradients(workload, structure),
                                     FindUnequalStages(structure),
                                     FindUnlikeRanks(workload, structure),
                                     FindPartialIteration(workload, structure),
                                     FindEqualKernels(workload, structure),
                                     FindPartialHint(structure),
                                     FindPatternMisfit(workload, structure),
                                     FindLostMessages(workload),
                                     FindMessagesWithinStage(workload, structure),
                                     FindAbsentRanks(ranks, degrees.hints, recordedRanks),
                                     FindContradiction(jobRanks, degrees, ranks == jobRanks),
                                     FindWrongDegrees(jobRanks, structure.degrees)})
    {
        if (!found.empty())
        {
            return found;
        }
    }
    return "";
}

std::vector<std::string>
ListOddities(const Workload& workload, const JobStructure& structure)
{
    std::vector<std::string> oddities;
    for (const RankStructure& rank : structure.ranks)
    {
        // A rank that shares the lists of another one has none of its own to look at.
        if (rank.sameAs != rank.rank)
        {
            continue;
        }
        const ExecutionGraph& graph = workload.GraphOf(RankId{rank.rank});
        if (const double spread = FindSpreadOfWork(graph, rank); spread > ODD_SPREAD)
        {
            oddities.push_back(
                fmt::format("Rank {}: some passes do {:.1f} times the operations of others. The "
                            "trace may hold several models, or batches of several sizes; edits "
                            "change all of them alike.",
                            rank.rank,
                            spread));
        }
        // Only repetition overlooks a first layer that is unlike the others: names number it, and
        // with a pattern the user says where layers begin.
        const bool isRepeated = structure.evidence == StructureEvidence::Repetition;
        if (const double before = isRepeated ? FindLayersBefore(graph, rank) : 0; before > 0)
        {
            oddities.push_back(fmt::format(
                "Rank {}: what stands before the layers does the work of {:.1f} of them, "
                "so a first layer unlike the others may be in it. It counts for none, "
                "and stays what it is.",
                rank.rank,
                before));
        }
        // A host trace alone has nothing that operators could have launched.
        const size_t without = structure.isOfHost ? 0 : CountWithoutLaunch(graph, rank);
        if (without > 0)
        {
            oddities.push_back(fmt::format(
                "Rank {}: {} of {} tasks have no launch among the operators of the host, so they "
                "follow what is before them on their stream alone.",
                rank.rank,
                without,
                rank.tasks.size()));
        }
    }
    const bool isUpdated = HasOptimizerKernel(workload, structure) || StoresGradients(workload);
    if (structure.hasBackward && !isUpdated)
    {
        oddities.emplace_back("No optimizer follows the backward passes: the traces may end before "
                              "it. What is made of them has none either.");
    }
    return oddities;
}

} // namespace nadi
