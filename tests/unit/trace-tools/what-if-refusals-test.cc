// SPDX-License-Identifier: GPL-2.0-only
// What-if says no, or says so, where it would have to guess.
#include "tests/support/config-error-text.h"
#include "tests/support/what-if-bench.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/graph-rewriter.h"
#include "workload/what-if/wanted-layers.h"
#include "workload/what-if/what-if-settings.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

using SettingList = std::vector<std::string>;

Workload
TrainingJob(ModelValues values)
{
    values.merge(ModelValues{{"layers", "4"}, {"dp", "2"}, {"batch", "8"}, {"ffn", "192"}});
    return GenerateHalf({std::move(values), {}, {}}, {});
}

/// What the edits refuse to do with a job, or "".
std::string
RefusalOf(const Workload& job, const SettingList& settings, const StructureHints& hints = {})
{
    return ConfigErrorText(
        [&] { ApplyWhatIf(job, FindStructure(job, {}, hints), ParseWhatIf(settings)); });
}

/// The recording of a run that stopped after so many tasks of each rank.
Workload
StopAfter(Workload job, uint32_t tasks)
{
    for (ExecutionGraph& graph : job.graphs)
    {
        std::vector<bool> isRemoved(graph.NodeCount());
        std::fill(isRemoved.begin() + std::min(tasks, graph.NodeCount()), isRemoved.end(), true);
        graph = ChangeNodesWithout(graph, isRemoved, [](uint32_t, NodeCopy&) {});
    }
    return job;
}

/// The tasks of `second`, of which those that wait for nothing wait for the last one of `first`.
ExecutionGraph
Joined(const ExecutionGraph& first, const ExecutionGraph& second)
{
    ExecutionGraphBuilder builder(first.Source());
    AddGroups(first, builder);
    uint64_t shift = 0;
    for (const ExecutionGraph* const graph : {&first, &second})
    {
        const std::vector<std::vector<uint32_t>> parents = FindParents(*graph);
        for (uint32_t node = 0; node < graph->NodeCount(); ++node)
        {
            std::vector<uint64_t> after;
            for (const uint32_t parent : parents[node])
            {
                after.push_back(parent + shift);
            }
            if (parents[node].empty() && shift > 0)
            {
                after.push_back(shift - 1);
            }
            NodeCopy copy = CopyNode(*graph, node);
            copy.node.id = node + shift;
            AddCopy(std::move(copy), after, builder);
        }
        shift += graph->NodeCount();
    }
    return builder.Build();
}

/// Each rank does what it does once more.
Workload
WithSecondIteration(Workload job)
{
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = Joined(graph, graph);
    }
    return job;
}

} // namespace

TEST_CASE("What-if: a recording that ends within an iteration is refused by all edits of the "
          "structure",
          "[unit][trace-tools][what-if]")
{
    // A pass forward: embedding, a kernel of attention and MLP in each layer, head. Backward, each
    // of these has a gradient of inputs and of weights; the last pass sums what it has.
    const uint32_t forward = 1 + 4 * 2 + 1;
    const uint32_t backward = 2 + 4 * 4 + 1;
    const uint32_t sums = 6;
    const uint32_t iteration = 4 * (forward + backward) + sums + 1;
    const Workload twice = WithSecondIteration(TrainingJob({}));
    REQUIRE(twice.graphs[0].NodeCount() == 2 * iteration);
    CHECK(FindStructure(twice, {}, {}).obstacle.empty());
    const auto check = [&](const std::string& where, uint32_t tasks, const std::string& refusal)
    {
        CAPTURE(where);
        const Workload cut = StopAfter(twice, tasks);
        for (const std::string edit :
             {"dp=4", "layers=8", "pp=2", "micro-batches=8", "hidden=128", "tp=2", "bucket=1 MB"})
        {
            CAPTURE(edit);
            CHECK(RefusalOf(cut, {edit}) == "what-if: Rank 0: " + refusal);
        }
        CHECK(RefusalOf(cut, {"speed=mlp:2"}).empty());
    };
    check("in a pass",
          forward + 2 + 5,
          "its passes go through 2 to 4 layers. The trace may hold several models, or begin or end "
          "within an iteration; `nadi trace slice` takes parts.");
    check("behind a pass forward",
          2 * (forward + backward) + forward,
          "3 passes go forward and 2 backward, so the trace begins or ends within an iteration; "
          "`nadi trace slice` takes whole ones.");
    check("in the last layer",
          iteration - 1 - 2 - 1 - 2, // optimizer, embedding and its sum, that of layer 0, weights
          "the trace ends within a layer, and so within an iteration; `nadi trace slice` takes "
          "whole ones.");
    check("in a second iteration",
          iteration + forward + backward,
          "iterations have different numbers of passes; the first or the last may be partial. "
          "`nadi trace slice` takes whole ones.");
    check("before the optimizer of a second iteration",
          2 * iteration - 1,
          "the last of 2 iterations has no optimizer, so the trace ends within it; `nadi trace "
          "slice` takes whole ones.");
}

TEST_CASE("What-if: where only the optimizer is missing, edits hold, and it is said",
          "[unit][trace-tools][what-if]")
{
    const Workload job = TrainingJob({});
    const Workload cut = StopAfter(job, job.graphs[0].NodeCount() - 1);
    const JobStructure found = FindStructure(cut, {}, {});
    CHECK(found.notes == std::vector<std::string>{"No optimizer follows the backward passes: the "
                                                  "traces may end before it. What is made of them "
                                                  "has none either."});
    const Workload made = ApplyWhatIf(cut, found, ParseWhatIf({"dp=4"})).job;
    const Workload expected = TrainingJob({{"dp", "4"}, {"batch", "16"}});
    CheckSameJob(made, StopAfter(expected, expected.graphs[0].NodeCount() - 1));
}

TEST_CASE("What-if: two models of other depths in one trace are refused, of other widths are noted",
          "[unit][trace-tools][what-if]")
{
    Workload both = TrainingJob({});
    const ExecutionGraph one = both.graphs[0];
    both.graphs[0] = Joined(one, TrainingJob({{"layers", "3"}}).graphs[0]);
    for (const std::string edit : {"dp=4", "layers=8", "pp=2", "hidden=128", "tp=2"})
    {
        CAPTURE(edit);
        CHECK(RefusalOf(both, {edit}) ==
              "what-if: Rank 0: its passes go through 3 to 4 layers. The trace may hold several "
              "models, or begin or end within an iteration; `nadi trace slice` takes parts.");
    }
    // Batches of other sizes look the same.
    both.graphs[0] = Joined(one, TrainingJob({{"hidden", "128"}, {"ffn", "384"}}).graphs[0]);
    const std::vector<std::string> notes = FindStructure(both, {}, {}).notes;
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].starts_with("Rank 0: some passes do 3."));
    CHECK(notes[0].ends_with(" times the operations of others. The trace may hold several models, "
                             "or batches of several sizes; edits change all of them alike."));
    CHECK(RefusalOf(both, {"speed=mlp:2"}).empty());
}

TEST_CASE("What-if: degrees that are not those of the groups are refused",
          "[unit][trace-tools][what-if]")
{
    const Workload job = TrainingJob({{"tp", "2"}, {"dp", "4"}});
    StructureHints hints;
    hints.degrees.tensor = 3;
    const std::string misfit = "Edits follow the groups and messages of the traces, which show tp "
                               "2 in a job of 8 ranks; leave tp=3 out of --degrees, or give "
                               "the groups of all ranks with --groups.";
    CHECK(std::ranges::count(FindStructure(job, {}, hints).notes, misfit) == 1);
    for (const std::string edit : {"dp=2", "layers=8", "pp=2", "hidden=128", "tp=4"})
    {
        CAPTURE(edit);
        CHECK(RefusalOf(job, {edit}, hints) == "what-if: " + misfit);
    }
    CHECK(RefusalOf(job, {"speed=mlp:2"}, hints).empty());
    hints.degrees.tensor = 2;
    hints.degrees.data = 4;
    CHECK(RefusalOf(job, {"layers=8"}, hints).empty());
}

TEST_CASE("What-if: fewer ranks than were recorded are refused where nothing tells the others",
          "[unit][trace-tools][what-if]")
{
    // Of eight tensor-parallel ranks that call the group of all, the first two.
    const Workload job = TrainingJob({{"tp", "2"}, {"dp", "1"}});
    const std::vector<RecordedOrder> orders{{{}, {}, {}, 8}}; // read from metadata
    const std::string absence =
        "The recorded job had 8 ranks, and 2 are known; where no groups name the others, "
        "--degrees, as in tp=8, says how they are laid out.";
    const JobStructure found = FindStructure(job, orders, {});
    CHECK(std::ranges::count(found.notes, absence) == 1);
    CHECK(ConfigErrorText([&] { ApplyWhatIf(job, found, ParseWhatIf({"layers=8"})); }) ==
          "what-if: " + absence);
    CHECK(ConfigErrorText([&] { ApplyWhatIf(job, found, ParseWhatIf({"speed=mlp:2"})); }).empty());
    StructureHints hints;
    hints.degrees.tensor = 8;
    CHECK(FindStructure(job, orders, hints).obstacle.empty());
    hints.degrees.tensor = 4;
    CHECK(FindStructure(job, orders, hints).obstacle ==
          "The degrees tp 4 * cp 1 * pp 1 * dp 1 make 4 ranks, and the job has 8; --degrees says "
          "what they are.");
}

TEST_CASE("What-if: a degree that does not divide the heads is refused, with those that do",
          "[unit][trace-tools][what-if]")
{
    const Workload job = TrainingJob({{"tp", "2"}});
    CHECK(RefusalOf(job, {"tp=3"}) == "what-if: tp: 4 heads cannot be shared evenly by 3 "
                                      "tensor-parallel ranks; write 1, 2 or 4");
    CHECK(RefusalOf(job, {"heads=1"}) == "what-if: heads: 1 heads cannot be shared evenly by 2 "
                                         "tensor-parallel ranks; write a multiple of 2");
    // Heads of keys and values: each rank has as many, or as many ranks have the same one.
    const Workload grouped =
        TrainingJob({{"tp", "2"}, {"heads", "12"}, {"kv-heads", "4"}, {"head-size", "16"}});
    const std::string shared = "what-if: tp: 12 heads, with 4 of keys and values, cannot be shared "
                               "evenly by {} tensor-parallel ranks; write 1, 2, 4 or 12";
    CHECK(RefusalOf(grouped, {"tp=3"}) == fmt::format(fmt::runtime(shared), 3));
    CHECK(RefusalOf(grouped, {"tp=6"}) == fmt::format(fmt::runtime(shared), 6));
    CHECK(RefusalOf(grouped, {"tp=4"}).empty());
    // A recording may share its heads otherwise.
    const Workload uneven = TrainingJob({{"tp", "3"}, {"heads", "4"}});
    CHECK(RefusalOf(uneven, {"ffn=96"}).empty());
    CHECK(RefusalOf(uneven, {"tp=3", "ffn=96"}).empty());
    CHECK(RefusalOf(uneven, {"tp=2"}).empty());
}

TEST_CASE("What-if: patterns of speed that fit the same kernels are noted with their number",
          "[unit][trace-tools][what-if]")
{
    const Workload job = TrainingJob({});
    const JobStructure found = FindStructure(job, {}, {});
    const ExecutionGraph& graph = job.graphs[0];
    uint32_t mlps = 0;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        mlps += graph.Name(node).find("mlp") != std::string_view::npos ? 1 : 0;
    }
    const WhatIfJob made =
        ApplyWhatIf(job, found, ParseWhatIf({"speed=mlp:2", "speed=layer:3", "speed=head:2"}));
    CHECK(made.notes == std::vector<std::string>{
                            fmt::format("{} kernels, counted in the graphs that ranks share, fit "
                                        "more than one of the patterns \"layer\", \"mlp\" of "
                                        "speed, and their factors multiply",
                                        mlps * job.graphs.size())});
    CHECK(ApplyWhatIf(job, found, ParseWhatIf({"speed=mlp:2", "speed=head:3"})).notes.empty());
}

TEST_CASE("What-if: speed of kernels that remove takes out is refused, and says so",
          "[unit][trace-tools][what-if]")
{
    const Workload job = TrainingJob({});
    CHECK(RefusalOf(job, {"speed=mlp:2", "remove=mlp|head"}) ==
          "what-if: speed: remove=mlp|head takes out all kernels whose names fit \"mlp\"; leave "
          "one of the two out");
    CHECK(RefusalOf(job, {"fuse=mlp", "remove=mlp"}) ==
          "what-if: fuse: remove=mlp takes out all kernels whose names fit \"mlp\"; leave one of "
          "the two out");
    CHECK(RefusalOf(job, {"speed=mlp:2", "remove=layer 0 mlp"}).empty());
    CHECK(RefusalOf(job, {"speed=wing:2", "remove=mlp"}) ==
          "what-if: speed: the name of no kernel fits \"wing\"; the first ones are \"micro-batch 0 "
          "embedding\", \"micro-batch 0 layer 0 attention\", \"micro-batch 0 layer 1 attention\"");
}

TEST_CASE("What-if: sequence parallelism on a single tensor-parallel rank changes nothing, and "
          "says why",
          "[unit][trace-tools][what-if]")
{
    const Workload job = TrainingJob({});
    const JobStructure found = FindStructure(job, {}, {});
    const WhatIfJob made = ApplyWhatIf(job, found, ParseWhatIf({"sp=on"}));
    CHECK(made.changes.empty());
    CHECK(made.notes == std::vector<std::string>{"sp=on changes nothing with tp=1: sequence "
                                                 "parallelism needs two or more tensor-parallel "
                                                 "ranks"});
    CHECK(ApplyWhatIf(job, found, ParseWhatIf({"sp=on", "tp=2"})).notes.empty());
    CHECK(ApplyWhatIf(job, found, ParseWhatIf({"sp=off"})).notes.empty());
}

TEST_CASE("What-if: stages of a single micro-batch wait for each other, and it is said",
          "[unit][trace-tools][what-if]")
{
    const Workload job = TrainingJob({{"batch", "2"}});
    const JobStructure found = FindStructure(job, {}, {});
    REQUIRE(found.microBatches == 1);
    const WhatIfJob made = ApplyWhatIf(job, found, ParseWhatIf({"pp=2"}));
    CheckSameJob(made.job, TrainingJob({{"batch", "2"}, {"pp", "2"}}));
    const std::string note =
        "A single micro-batch goes through the 2 stages in an iteration, so that one works while "
        "the others wait; micro-batches=N lets so many follow each other";
    CHECK(std::ranges::count(made.changes, note) == 1);
    const WhatIfJob filled = ApplyWhatIf(job, found, ParseWhatIf({"pp=2", "micro-batches=4"}));
    CHECK(std::ranges::count(filled.changes, note) == 0);
}

TEST_CASE("What-if: a single micro-batch does not tell the schedule, and it is said",
          "[unit][trace-tools][what-if]")
{
    const std::string note =
        "One micro-batch does not tell the schedule: 1f1b is taken; schedule=gpipe says otherwise";
    const auto countNotes = [&](const ModelValues& values, const std::vector<std::string>& settings)
    {
        const Workload job = TrainingJob(values);
        const WhatIfJob made = ApplyWhatIf(job, FindStructure(job, {}, {}), ParseWhatIf(settings));
        return std::ranges::count(made.changes, note);
    };
    const ModelValues single{{"batch", "2"}, {"pp", "2"}, {"schedule", "gpipe"}};
    CHECK(countNotes(single, {"micro-batches=4"}) == 1);
    CHECK(countNotes({{"batch", "2"}}, {"pp=2", "micro-batches=4"}) == 1);
    CHECK(countNotes(single, {"micro-batches=4", "schedule=gpipe"}) == 0);
    // A single stage does its passes in another order, too.
    CHECK(countNotes(single, {"micro-batches=4", "pp=1"}) == 1);
    CHECK(countNotes({{"batch", "2"}, {"schedule", "gpipe"}}, {"micro-batches=4"}) == 1);
    CHECK(countNotes({{"batch", "2"}, {"schedule", "gpipe"}},
                     {"micro-batches=4", "schedule=gpipe"}) == 0);
    CHECK(countNotes({{"batch", "2"}}, {"layers=8"}) == 0);
    CHECK(countNotes(single, {"pp=4"}) == 0);
    CHECK(countNotes({{"batch", "4"}, {"pp", "2"}, {"schedule", "gpipe"}}, {"micro-batches=4"}) ==
          0);
}

TEST_CASE("What-if: stages without known micro-batches are refused", "[unit][trace-tools][what-if]")
{
    const Workload job = TrainingJob({{"batch", "2"}});
    const Workload forward = StopAfter(job, 1 + 4 * 2);
    CHECK(FindStructure(forward, {}, {}).layers == 4);
    CHECK(RefusalOf(forward, {"pp=2"}) ==
          "what-if: pp: the traces hold passes forward alone, and pipelines are made of steps of a "
          "training; record one with its passes backward");
    const Workload twice = WithSecondIteration(TrainingJob({}));
    CHECK(RefusalOf(twice, {"micro-batches=8"}) ==
          "what-if: the traces hold 2 iterations, and edits of the structure are of one; take it "
          "with nadi trace slice --iterations 1");
    for (const std::string edit : {"layers=8", "dp=4", "tp=2", "ffn=512", "hidden=128"})
    {
        CAPTURE(edit);
        CHECK(RefusalOf(twice, {edit}) == RefusalOf(twice, {"micro-batches=8"}));
    }
    CHECK(RefusalOf(twice, {"remove=mlp weight gradient"}).empty());
    CHECK(RefusalOf(MakeModelJob("dlrm", {{"batch", "64"}}, {4}), {"pp=2"}) ==
          "what-if: pp: no layers were found in the traces, and nadi trace structure says why; "
          "--layer-pattern REGEX helps, with the name of the first kernel of each layer");
}

TEST_CASE("What-if: degrees tell how many ranks there will be before anything is made",
          "[unit][trace-tools][what-if]")
{
    const Workload job = TrainingJob({{"tp", "2"}, {"pp", "2"}});
    const JobStructure found = FindStructure(job, {}, {});
    const auto ranksOf = [&](const SettingList& settings)
    { return CountWantedRanks(job, found, ParseWhatIf(settings)); };
    CHECK(ranksOf({"layers=8"}) == 8);
    CHECK(ranksOf({"dp=100000"}) == 400000);
    CHECK(ranksOf({"dp=100", "tp=4", "pp=1", "ep=1"}) == 400);
}

TEST_CASE("What-if: nodes are numbered without gaps where calls were taken out",
          "[unit][trace-tools][what-if]")
{
    const Workload job = TrainingJob({{"tp", "2"}});
    const auto idsOf = [](const Workload& made)
    {
        std::vector<uint64_t> ids;
        for (const ExecutionNode& node : made.graphs[0].Nodes())
        {
            ids.push_back(node.id);
        }
        return ids;
    };
    const auto expected = idsOf(TrainingJob({{"tp", "1"}, {"dp", "1"}, {"batch", "4"}}));
    const Workload single =
        ApplyWhatIf(job, FindStructure(job, {}, {}), ParseWhatIf({"tp=1", "dp=1"})).job;
    CHECK(idsOf(single) == expected);
}

TEST_CASE("What-if: sizes of a job that serves requests are refused as such",
          "[unit][trace-tools][what-if]")
{
    for (const std::string phase : {"prefill", "decode"})
    {
        CAPTURE(phase);
        const Workload job = GenerateHalf(
            {{{"layers", "4"}, {"tp", "2"}, {"batch", "8"}, {"phase", phase}}, {}, {}}, {});
        for (const std::string edit : {"hidden=128", "sequence=256", "micro-batch=4", "tp=4"})
        {
            CAPTURE(edit);
            CHECK(RefusalOf(job, {edit}).find("the job serves requests") != std::string::npos);
        }
        CHECK(RefusalOf(job, {"layers=8"}).empty());
    }
}

TEST_CASE("What-if: durations of repeated layers are said to have no effect where none is",
          "[unit][trace-tools][what-if]")
{
    const Workload job = GenerateHalf({{{"layers", "4"}, {"batch", "4"}}, {}, {}}, {});
    const auto notesOf = [&job](const std::string& layers)
    {
        return ApplyWhatIf(job,
                           FindStructure(job, {}, {}),
                           ParseWhatIf({"layers=" + layers, "durations=median"}))
            .notes;
    };
    const std::string note = "No layer is repeated, so durations has no effect";
    CHECK(std::ranges::count(notesOf("2"), note) == 1);
    CHECK(std::ranges::count(notesOf("8"), note) == 0);
}

TEST_CASE("What-if: shards of context-parallel ranks have no copies yet",
          "[unit][trace-tools][what-if]")
{
    const ModelValues context{{"layers", "4"}, {"cp", "2"}, {"batch", "4"}};
    for (const std::string zero : {"1", "2", "3"})
    {
        ModelValues values{{"zero", zero}};
        values.merge(ModelValues(context));
        const Workload job = GenerateHalf({values, {}, {}}, {});
        CHECK(RefusalOf(job, {"dp=2"}).find("hold shards") != std::string::npos);
        values["dp"] = "2";
        CHECK(RefusalOf(GenerateHalf({values, {}, {}}, {}), {"dp=4"}).empty());
    }
    CHECK(RefusalOf(GenerateHalf({context, {}, {}}, {}), {"dp=2"}).empty());
}

TEST_CASE("What-if: exchanges of unequal parts are refused with the edits that keep them",
          "[unit][trace-tools][what-if]")
{
    Workload job = TrainingJob({{"experts", "4"}, {"top-k", "2"}, {"ep", "2"}});
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = ChangeNodes(graph,
                            [](uint32_t, NodeCopy& copy)
                            {
                                if (copy.node.collective == CollectiveType::AllToAll &&
                                    copy.node.type == NodeType::Collective)
                                {
                                    const uint64_t part = copy.node.size / 4;
                                    copy.splits = std::make_shared<ExchangeSplits>(
                                        ExchangeSplits{{part, copy.node.size - part}});
                                }
                            });
    }
    for (const std::string edit : {"tp=2", "ep=1", "hidden=128"})
    {
        CAPTURE(edit);
        const std::string refusal = RefusalOf(job, {edit});
        CHECK(refusal.find("sends its members unequal parts, and which they would be after this "
                           "edit is unknown; edit layers, pp, micro-batches or schedule") !=
              std::string::npos);
    }
    for (const std::string edit : {"layers=8", "pp=2", "micro-batches=8", "schedule=gpipe"})
    {
        CAPTURE(edit);
        CHECK(RefusalOf(job, {edit}).empty());
    }
}

TEST_CASE("What-if: sizes of a perceptron are refused in words of its layers",
          "[unit][trace-tools][what-if]")
{
    const Workload job = MakeModelJob("mlp", {{"batch", "64"}, {"parallelism", "dp"}}, {2});
    for (const std::string edit : {"hidden=128", "tp=2", "micro-batch=2"})
    {
        CAPTURE(edit);
        CHECK(RefusalOf(job, {edit})
                  .find("is a matrix product that stands alone in its layer, as "
                        "in a perceptron; this edit needs a transformer") != std::string::npos);
    }
    CHECK(RefusalOf(job, {"dp=4"}).empty());
    CHECK(RefusalOf(job, {"micro-batches=2"}).empty());
}
