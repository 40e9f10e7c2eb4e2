// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/structure-text.h"

#include "cli/terminal/summary-text.h"
#include "common/text.h"
#include "common/unit-parser.h"
#include "workload/tools/structure/structure-json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

constexpr size_t MOST_USES = 24;
constexpr size_t MOST_RANKS_OF_USE = 8;
constexpr size_t WIDTH_OF_STRUCTURE = 100;

/// A question mark where traces do not tell the degree.
std::string
DegreeText(const std::optional<uint32_t>& degree)
{
    return degree ? std::to_string(*degree) : "?";
}

std::string
CountsText(const auto& counts)
{
    std::vector<std::string> parts;
    for (const auto& [type, count] : counts)
    {
        parts.push_back(fmt::format("{} {}", count, type));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string
DescribeJob(const JobStructure& structure)
{
    const FoundDegrees& degrees = structure.degrees;
    return fmt::format(
        "{}, found by {}; {:.0f} % of the {} are in layers\n"
        "tp {}{}, cp {}, pp {}, dp {}, ep {}; {} recorded\n"
        "{} of {}{}; {}\n",
        CountText(structure.layers, "layer"),
        ToText(structure.evidence),
        100 * structure.confidence,
        structure.isOfHost ? "operators" : "kernels",
        DegreeText(degrees.tensor),
        structure.hasSequenceParallelism ? " with sequence parallelism" : "",
        DegreeText(degrees.context),
        DegreeText(degrees.pipeline),
        DegreeText(degrees.data),
        DegreeText(degrees.expert),
        CountText(structure.ranks.size(), "rank"),
        CountText(structure.iterations, "iteration"),
        CountText(structure.microBatches, "micro-batch"),
        structure.schedule
            ? fmt::format(", schedule {}{}",
                          ToText(*structure.schedule),
                          structure.chunks > 1 ? fmt::format(" with {} chunks", structure.chunks)
                                               : "")
            : "",
        structure.hasBackward ? "forward and backward passes" : "forward passes only");
}

/// Tables show one rank of each stage: the others of the stage do the same.
bool
IsFirstOfStage(const JobStructure& structure, const RankStructure& rank)
{
    // A rank that shares the graph of another one has no lists of its own.
    return rank.sameAs == rank.rank &&
           std::ranges::find(structure.ranks, rank.stage, &RankStructure::stage)->rank == rank.rank;
}

std::string
DescribeKinds(const JobStructure& structure, const Style& style)
{
    Rows rows{{"rank", "stage", "direction", "passes", "tasks of a layer", "of them", "kernels"}};
    for (const RankStructure& rank : structure.ranks)
    {
        for (const LayerKind& kind :
             IsFirstOfStage(structure, rank) ? rank.kinds : std::vector<LayerKind>())
        {
            rows.push_back({std::to_string(rank.rank),
                            std::to_string(rank.stage),
                            kind.isForward ? "forward" : "backward",
                            std::to_string(kind.passes),
                            std::to_string(kind.taskCount),
                            CountsText(kind.tasksByType),
                            ToRoundedText(SimTime::FromNs(static_cast<int64_t>(kind.nanos)))});
        }
    }
    // The head of the table is a row, too.
    const size_t all = rows.size();
    rows.resize(std::min(all, MOST_USES + 1));
    return TitledTable("layers, by what they consist of, on a rank of each stage", rows, style) +
           LeftOutText(all, rows.size(), "kinds");
}

/// Tasks outside of layers, over all passes of a rank. Stages differ in these: the first one has
/// the embedding, the last one the head and the loss.
std::string
DescribeRests(const JobStructure& structure, const Style& style)
{
    Rows rows{{"rank", "passes", "before the layers", "after them", "optimizer"}};
    for (const RankStructure& rank : structure.ranks)
    {
        size_t before = 0;
        size_t after = 0;
        for (const LayerRunPass& pass : rank.passes)
        {
            before += pass.before.size();
            after += pass.after.size();
        }
        if (IsFirstOfStage(structure, rank) && rows.size() <= MOST_USES)
        {
            rows.push_back({std::to_string(rank.rank),
                            std::to_string(rank.passes.size()),
                            std::to_string(before),
                            std::to_string(after),
                            std::to_string(rank.optimizer.size())});
        }
    }
    return TitledTable("tasks outside of layers, over all passes", rows, style);
}

std::string
RanksText(const std::vector<uint32_t>& ranks)
{
    const auto shown = static_cast<std::ptrdiff_t>(std::min(ranks.size(), MOST_RANKS_OF_USE));
    return fmt::format("{}{}",
                       fmt::join(ranks.begin(), ranks.begin() + shown, ", "),
                       ranks.size() > MOST_RANKS_OF_USE ? ", ..." : "");
}

std::string
DescribeUses(const JobStructure& structure, const Style& style)
{
    Rows rows{{"role", "group", "size", "calls", "ranks"}};
    for (const GroupUse& use : structure.groups)
    {
        if (rows.size() <= MOST_USES)
        {
            rows.push_back({std::string(ToText(use.role)),
                            use.name.empty() ? "-" : ShortenName(use.name),
                            std::to_string(use.ranks.size()),
                            CountsText(use.calls),
                            RanksText(use.ranks)});
        }
    }
    return rows.size() == 1 ? "" : TitledTable("groups, by what they are for", rows, style);
}

} // namespace

std::string
DescribeStructure(const JobStructure& structure, const Style& style)
{
    std::string text;
    // Without layers there are still roles of groups, and notes that say which hint would help.
    if (structure.HasLayers())
    {
        text = DescribeJob(structure) + DescribeKinds(structure, style) +
               DescribeRests(structure, style);
    }
    text += DescribeUses(structure, style);
    for (const std::string& note : structure.notes)
    {
        text += WrapText("note: " + note, WIDTH_OF_STRUCTURE) + "\n";
    }
    return text;
}

} // namespace nadi
