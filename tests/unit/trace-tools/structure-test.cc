// SPDX-License-Identifier: GPL-2.0-only
// Layers, passes, micro-batches and degrees, as traces alone show them.
#include "tests/support/config-error-text.h"
#include "tests/support/model-bench.h"
#include "tests/support/structure-checks.h"
#include "tests/support/trace-edit-bench.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/tools/structure/structure-json.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nadi::test
{

namespace
{

/// A transformer, and what is to be found of it.
struct GeneratedCase
{
    ModelValues values;
    uint32_t ranks = 1;
    uint32_t layers = 0;
    uint32_t microBatches = 1;
    PipelineSchedule schedule = PipelineSchedule::OneForwardOneBackward;
};

/// tp, cp, pp, dp and ep are found as they are written; what is not written is 1.
const std::vector<GeneratedCase>&
GeneratedCases()
{
    using enum PipelineSchedule;
    static const std::vector<GeneratedCase> cases{
        {{{"layers", "3"}}, 1, 3, 1},
        {{{"layers", "4"}, {"batch", "4"}}, 1, 4, 4},
        {{{"layers", "4"}, {"tp", "2"}, {"dp", "2"}, {"pp", "2"}, {"batch", "8"}}, 8, 4, 4},
        {{{"layers", "8"}, {"tp", "2"}, {"pp", "4"}, {"batch", "8"}}, 8, 8, 8},
        {{{"layers", "8"}, {"tp", "2"}, {"pp", "4"}, {"batch", "8"}, {"schedule", "gpipe"}},
         8,
         8,
         8,
         GPipe},
        {{{"layers", "8"},
          {"pp", "2"},
          {"dp", "2"},
          {"batch", "8"},
          {"schedule", "interleaved"},
          {"chunks", "2"}},
         4,
         8,
         4,
         Interleaved},
        {{{"layers", "6"}, {"tp", "4"}, {"sp", "on"}, {"batch", "2"}}, 4, 6, 2},
        {{{"layers", "6"}, {"tp", "4"}, {"sp", "on"}, {"dp", "2"}, {"batch", "4"}, {"zero", "1"}},
         8,
         6,
         2},
        {{{"layers", "6"}, {"dp", "8"}, {"batch", "16"}, {"zero", "2"}}, 8, 6, 2},
        {{{"layers", "6"}, {"dp", "8"}, {"batch", "16"}, {"zero", "3"}}, 8, 6, 2},
        {{{"layers", "6"},
          {"tp", "2"},
          {"sp", "on"},
          {"dp", "4"},
          {"ep", "4"},
          {"batch", "8"},
          {"experts", "8"},
          {"top-k", "2"},
          {"expert-ffn", "512"}},
         8,
         6,
         2},
        {{{"layers", "6"},
          {"dp", "8"},
          {"ep", "4"},
          {"batch", "8"},
          {"experts", "8"},
          {"top-k", "2"},
          {"expert-ffn", "512"},
          {"dense-layers", "2"}},
         8,
         6,
         1},
        {{{"layers", "6"},
          {"pp", "2"},
          {"dp", "4"},
          {"ep", "2"},
          {"batch", "16"},
          {"experts", "8"},
          {"top-k", "2"},
          {"expert-ffn", "512"}},
         8,
         6,
         4},
        {{{"layers", "4"}, {"tp", "2"}, {"cp", "2"}, {"dp", "2"}, {"batch", "4"}}, 8, 4, 2},
        {{{"layers", "4"}, {"cp", "8"}, {"batch", "4"}}, 8, 4, 4},
        {{{"layers", "6"}, {"tp", "2"}, {"dp", "2"}, {"batch", "4"}, {"recompute", "full"}},
         4,
         6,
         2},
        {{{"layers", "6"},
          {"tp", "2"},
          {"dp", "2"},
          {"batch", "4"},
          {"recompute", "selective"},
          {"bucket", "4 MB"}},
         4,
         6,
         2},
        // The last stage has a single layer, which repeats nowhere.
        {{{"layers", "7"}, {"tp", "2"}, {"pp", "4"}, {"batch", "4"}}, 8, 7, 4},
    };
    return cases;
}

Workload
Generate(const GeneratedCase& test)
{
    ModelValues values = test.values;
    values.merge(ModelValues{{"hidden", "512"},
                             {"heads", "8"},
                             {"sequence", "128"},
                             {"vocabulary", "1024"},
                             {"micro-batch", "1"},
                             {"batch", "1"}});
    return MakeModelJob("transformer", values, {test.ranks});
}

/// The same graph, with names that say nothing, as `trace anonymise` gives them.
ExecutionGraph
HideNames(const ExecutionGraph& graph)
{
    ExecutionGraphBuilder builder("hidden");
    for (const std::string& group : graph.GroupNames())
    {
        builder.AddGroup(group);
    }
    std::vector<std::vector<uint64_t>> parents(graph.NodeCount());
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        for (const uint32_t child : graph.Children(index))
        {
            parents[child].push_back(graph.Node(index).id);
        }
    }
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        builder.AddNode(graph.Node(index), "compute_" + std::to_string(index + 1), parents[index]);
    }
    return builder.Build();
}

Workload
HideNames(Workload job)
{
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = HideNames(graph);
    }
    return job;
}

uint32_t
Degree(const GeneratedCase& test, const std::string& axis)
{
    const auto value = test.values.find(axis);
    return value == test.values.end() ? 1 : static_cast<uint32_t>(std::stoul(value->second));
}

void
CheckFound(const GeneratedCase& test, const JobStructure& found)
{
    CHECK(found.layers == test.layers);
    CHECK(found.microBatches == test.microBatches);
    CHECK(found.schedule == test.schedule);
    CHECK(found.degrees.tensor == Degree(test, "tp"));
    CHECK(found.degrees.context == Degree(test, "cp"));
    CHECK(found.degrees.pipeline == Degree(test, "pp"));
    CHECK(found.degrees.data == Degree(test, "dp"));
    CHECK(found.degrees.expert == Degree(test, "ep"));
    CHECK(found.hasSequenceParallelism == test.values.contains("sp"));
    CHECK(found.hasBackward);
    CHECK(found.hasOptimizer);
    CHECK(found.iterations == 1);
    CHECK(found.notes.empty());
    for (const RankStructure& rank : found.ranks)
    {
        CheckEachTaskOnce(rank);
    }
}

/// The name of a case, for messages.
std::string
ToText(const GeneratedCase& test)
{
    std::string text;
    for (const auto& [key, value] : test.values)
    {
        text += key + "=" + value + " ";
    }
    return text;
}

} // namespace

TEST_CASE("FindStructure: generated jobs are found with the parameters that made them",
          "[unit][trace-tools]")
{
    for (const GeneratedCase& test : GeneratedCases())
    {
        INFO(ToText(test));
        const JobStructure found = FindStructure(Generate(test), {}, {});
        CHECK(found.evidence == StructureEvidence::Scopes);
        CheckFound(test, found);
    }
}

TEST_CASE("FindStructure: likewise where names say nothing", "[unit][trace-tools]")
{
    for (const GeneratedCase& test : GeneratedCases())
    {
        INFO(ToText(test));
        const JobStructure found = FindStructure(HideNames(Generate(test)), {}, {});
        CHECK(found.evidence == StructureEvidence::Repetition);
        CheckFound(test, found);
    }
}

// The generator names nodes "micro-batch 1 layer 3 mlp": what the analysis finds without names is
// held against them.
TEST_CASE("FindStructure: layers and micro-batches of a pass are those that names would tell",
          "[unit][trace-tools]")
{
    for (const GeneratedCase& test : GeneratedCases())
    {
        INFO(ToText(test));
        const Workload job = Generate(test);
        const JobStructure found = FindStructure(HideNames(job), {}, {});
        for (const RankStructure& rank : found.ranks)
        {
            const ExecutionGraph& graph = job.GraphOf(RankId{rank.rank});
            for (const LayerRunPass& pass : rank.passes)
            {
                for (const LayerPass& layer : pass.layers)
                {
                    const std::string start = "micro-batch " + std::to_string(pass.microBatch) +
                                              " layer " + std::to_string(layer.layer) + " ";
                    const auto isOf = [&](uint32_t task)
                    { return graph.Name(task).starts_with(start); };
                    CHECK(std::ranges::all_of(layer.tasks, isOf));
                }
            }
        }
    }
}

TEST_CASE("FindStructure: head and embedding stand outside of the layers, each in its pass",
          "[unit][trace-tools]")
{
    const Workload job = Generate(GeneratedCases()[1]); // one rank, four micro-batches
    const JobStructure found = FindStructure(HideNames(job), {}, {});
    const ExecutionGraph& graph = job.graphs[0];
    REQUIRE(found.ranks[0].passes.size() == 2 * 4);
    for (const LayerRunPass& pass : found.ranks[0].passes)
    {
        const std::string name = "micro-batch " + std::to_string(pass.microBatch);
        REQUIRE(!pass.before.empty());
        REQUIRE(pass.after.size() == 1);
        CHECK(graph.Name(pass.before[0]) ==
              name + (pass.isForward ? " embedding" : " head input gradient"));
        CHECK(graph.Name(pass.after[0]) ==
              name + (pass.isForward ? " head" : " embedding weight gradient"));
    }
    REQUIRE(found.ranks[0].optimizer.size() == 1);
    CHECK(graph.Name(found.ranks[0].optimizer[0]) == "optimizer");
}

TEST_CASE("FindStructure: passes that begin with the layer that the one before ends with are told "
          "apart by names",
          "[unit][trace-tools]")
{
    // Without a vocabulary nothing stands between two passes of a single stage.
    for (const std::string layers : {"2", "3", "4", "6"})
    {
        for (const std::string recompute : {"none", "full"})
        {
            for (const std::string schedule : {"1f1b", "gpipe"})
            {
                GeneratedCase test{{{"layers", layers},
                                    {"dp", "2"},
                                    {"batch", "6"},
                                    {"vocabulary", "0"},
                                    {"recompute", recompute},
                                    {"schedule", schedule}},
                                   2,
                                   static_cast<uint32_t>(std::stoul(layers)),
                                   3};
                test.schedule = schedule == "gpipe" ? PipelineSchedule::GPipe : test.schedule;
                INFO(ToText(test));
                const Workload job = Generate(test);
                const JobStructure found = FindStructure(job, {}, {});
                CHECK(found.evidence == StructureEvidence::Scopes);
                CheckFound(test, found);
                // Attention and MLP, forward; a gradient of inputs and of weights of each,
                // backward; and what is computed again.
                const uint32_t again = recompute == "full" ? 2 : 0;
                for (const LayerKind& kind : found.ranks[0].kinds)
                {
                    CHECK(kind.taskCount == (kind.isForward ? 2 : 4 + again));
                }
            }
        }
    }
}

TEST_CASE("FindStructure: a perceptron and a ResNet go once forward and once backward through "
          "their layers",
          "[unit][trace-tools]")
{
    const auto checkPasses = [](const JobStructure& found, uint32_t layers)
    {
        CHECK(found.layers == layers);
        CHECK(found.degrees.data == 4U);
        CHECK(found.notes.empty());
        for (const RankStructure& rank : found.ranks)
        {
            if (rank.sameAs != rank.rank)
            {
                continue; // it shares the lists of another one
            }
            REQUIRE(rank.passes.size() == 2);
            for (const bool isForward : {true, false})
            {
                const LayerRunPass& pass = rank.passes[isForward ? 0 : 1];
                CHECK(pass.isForward == isForward);
                REQUIRE(pass.layers.size() == layers);
                CHECK(pass.layers.front().layer == (isForward ? 0 : layers - 1));
                CHECK(pass.layers.back().layer == (isForward ? layers - 1 : 0));
            }
            CheckEachTaskOnce(rank);
        }
    };
    checkPasses(FindStructure(MakeModelJob("mlp", {{"batch", "64"}}, {4}), {}, {}), 6);
    // Four widths of 3, 4, 6 and 3 blocks, which are numbered from 0 in each.
    checkPasses(FindStructure(MakeModelJob("resnet-50", {{"batch", "64"}}, {4}), {}, {}),
                3 + 4 + 6 + 3);
}

TEST_CASE("FindStructure: a hint of copies tells their groups where no layers are found",
          "[unit][trace-tools]")
{
    // Layers of other widths each.
    const Workload job =
        MakeModelJob("mlp", {{"batch", "64"}, {"layers", "3"}, {"widths", "64,128,256,512"}}, {4});
    StructureHints hints;
    const auto roles = [&]
    {
        const JobStructure found = FindStructure(job, {}, hints);
        CHECK_FALSE(found.HasLayers());
        REQUIRE(found.groups.size() == 1);
        return found.groups[0].role;
    };
    CHECK(roles() == GroupRole::Other);
    hints.degrees.data = 4;
    CHECK(roles() == GroupRole::Data);
    hints.degrees.data = 2;
    CHECK(roles() == GroupRole::Other);
}

TEST_CASE("FindStructure: groups have their roles", "[unit][trace-tools]")
{
    // dp 8, ep 4: experts are copied over 8 / 4 ranks.
    const JobStructure found = FindStructure(HideNames(Generate(GeneratedCases()[11])), {}, {});
    std::map<GroupRole, size_t> sizes;
    for (const GroupUse& use : found.groups)
    {
        sizes[use.role] = use.ranks.size();
    }
    CHECK(sizes == std::map<GroupRole, size_t>{
                       {GroupRole::Expert, 4}, {GroupRole::Data, 8}, {GroupRole::ExpertData, 2}});
}

TEST_CASE("FindStructure: stages of one layer each are not taken for layers without names",
          "[unit][trace-tools]")
{
    const GeneratedCase test{{{"layers", "4"}, {"tp", "2"}, {"pp", "4"}, {"batch", "4"}}, 8, 4, 4};
    CHECK(FindStructure(Generate(test), {}, {}).layers == 4);
    const JobStructure hidden = FindStructure(HideNames(Generate(test)), {}, {});
    CHECK_FALSE(hidden.HasLayers());
    REQUIRE(!hidden.notes.empty());
    CHECK(hidden.notes[0].find("a stage seems to have one layer, or no two equal") !=
          std::string::npos);
    // All passes of all stages hold messages here, which lead along the stages, or lead ranks of
    // two stages to repeat different things.
    for (const ModelValues& values :
         {ModelValues{{"pp", "4"}, {"schedule", "gpipe"}},
          ModelValues{{"pp", "2"}, {"schedule", "interleaved"}, {"chunks", "2"}}})
    {
        GeneratedCase stages{{{"layers", "4"}, {"dp", "2"}, {"batch", "16"}}, 0, 4, 8};
        stages.values.insert(values.begin(), values.end());
        stages.ranks = 2 * Degree(stages, "pp");
        INFO(ToText(stages));
        const JobStructure found = FindStructure(HideNames(Generate(stages)), {}, {});
        CHECK_FALSE(found.HasLayers());
        CHECK(found.obstacle.empty());
        REQUIRE(!found.notes.empty());
        CHECK(found.notes[0].find("a stage seems to have one layer, or no two equal") !=
              std::string::npos);
    }
}

TEST_CASE("FindStructure: layers are doubted where all kernels forward do the same work",
          "[unit][trace-tools]")
{
    // With as many tokens as the hidden width, and MLPs of three times that, attention and MLP have
    // equal operations and bytes.
    const auto build = [](const std::string& ffn, const std::string& layers)
    {
        return MakeModelJob("transformer",
                            {{"hidden", "512"},
                             {"heads", "8"},
                             {"sequence", "512"},
                             {"ffn", ffn},
                             {"biases", "off"},
                             {"norm", "rms"},
                             {"positions", "rotary"},
                             {"tied-embeddings", "off"},
                             {"vocabulary", "1024"},
                             {"layers", layers},
                             {"tp", "2"},
                             {"batch", "8"},
                             {"dp", "2"}},
                            {4});
    };
    const Workload alike = build("1536", "8");
    CHECK(FindStructure(alike, {}, {}).obstacle.empty());
    CHECK(FindStructure(HideNames(build("1024", "8")), {}, {}).obstacle.empty());
    const std::string few = FindStructure(HideNames(build("1536", "3")), {}, {}).obstacle;
    CHECK(few.starts_with("Rank 0: 6 kernels in a row"));
    const JobStructure doubted = FindStructure(HideNames(alike), {}, {});
    CHECK(
        doubted.obstacle ==
        "Rank 0: 16 kernels in a row that are of no layer do the same work, so they may be layers "
        "too, and nothing tells where one begins. A recording whose names tell the layers does.");

    // A hint that fits the layers forward alone.
    const JobStructure hinted =
        FindStructure(build("1024", "8"), {}, {.layerPattern = "attention$", .degrees = {}});
    CHECK(hinted.obstacle.starts_with("The layers that --layer-pattern finds hold "));
    CHECK(hinted.obstacle.find("and no pass goes backward, so") != std::string::npos);
}

TEST_CASE("FindStructure: a pattern that fits two kernels of each layer is doubted",
          "[unit][trace-tools]")
{
    // Projections, core and MLP are the kernels of a layer.
    const auto obstacleOf =
        [](const std::string& layers, const std::string& pattern, const std::string& tensor = "1")
    {
        const Workload job = MakeModelJob("transformer",
                                          {{"phase", "prefill"},
                                           {"tp", tensor},
                                           {"layers", layers},
                                           {"batch", "4"},
                                           {"hidden", "64"},
                                           {"heads", "4"},
                                           {"ffn", "256"},
                                           {"sequence", "64"},
                                           {"vocabulary", "256"}},
                                          {tensor == "1" ? 1U : 2U});
        return FindStructure(job, {}, {.layerPattern = pattern, .degrees = {}}).obstacle;
    };
    for (const std::string layers : {"2", "3", "4", "8"})
    {
        CAPTURE(layers);
        CHECK(obstacleOf(layers, "attention projections").empty());
        CHECK(obstacleOf(layers, "attention") ==
              "Rank 0: some passes have more kernels around their layers than others, so "
              "--layer-pattern does not fit the first kernel of each layer and no other; write one "
              "that does, or leave it out.");
        for (const std::string tensor : {"1", "2"})
        {
            CHECK(obstacleOf(layers, "attention|mlp|embedding|head", tensor)
                      .starts_with("Rank 0: layers of one kernel each do different work, so"));
        }
    }
}

TEST_CASE("FindStructure: messages within a layer do not part the passes of a stage that has one",
          "[unit][trace-tools]")
{
    for (const std::string schedule : {"1f1b", "gpipe"})
    {
        const GeneratedCase test{{{"layers", "2"},
                                  {"cp", "2"},
                                  {"pp", "2"},
                                  {"vocabulary", "0"},
                                  {"batch", "4"},
                                  {"schedule", schedule}},
                                 4,
                                 2,
                                 4};
        INFO(ToText(test));
        const JobStructure found = FindStructure(Generate(test), {}, {});
        CHECK(found.layers == 2);
        CHECK(found.microBatches == 4);
        CHECK(found.obstacle.empty());
        for (const RankStructure& rank : found.ranks)
        {
            CHECK((rank.passes.size() == 8 || rank.rank != rank.sameAs));
        }
    }
}

TEST_CASE("FindStructure: hints that fit nothing are refused", "[unit][trace-tools]")
{
    const Workload job = Generate(GeneratedCases()[0]);
    CHECK(
        ConfigErrorText([&] { FindStructure(job, {}, {.layerPattern = "nothing", .degrees = {}}); })
            .find("fits the name of no kernel") != std::string::npos);
    CHECK(ConfigErrorText([&] { FindStructure(job, {}, {.layerPattern = "(", .degrees = {}}); })
              .find("is no regular expression") != std::string::npos);
}

TEST_CASE("FindStructure: degrees that contradict the traces are shown, and edits refused",
          "[unit][trace-tools]")
{
    const Workload job = Generate(GeneratedCases()[2]);
    StructureHints hints;
    hints.degrees.tensor = 4;
    const JobStructure found = FindStructure(job, {}, hints);
    CHECK(found.degrees.tensor == 4U);
    CHECK(found.obstacle == "Edits follow the groups and messages of the traces, which show tp 2 "
                            "in a job of 8 ranks; leave tp=4 out of --degrees, or give the groups "
                            "of all ranks with --groups.");
    CHECK(found.notes == std::vector<std::string>{
                             "The hint tp=4 is taken, while the traces show 2.", found.obstacle});
    // Others that make as many ranks are not those of the groups either.
    hints.degrees.data = 1;
    CHECK(FindStructure(job, {}, hints).obstacle == found.obstacle);
    hints.degrees.data = 2;
    hints.degrees.tensor = 2;
    CHECK(FindStructure(job, {}, hints).obstacle.empty());
}

TEST_CASE("FormatStructureJson: names nodes by their ids", "[unit][trace-tools]")
{
    const Workload job = Generate(GeneratedCases()[0]);
    const auto json = nlohmann::json::parse(FormatStructureJson(FindStructure(job, {}, {}), job));
    CHECK(json["layers"] == 3);
    CHECK(json["degrees"]["tp"] == 1);
    CHECK(json["schedule"] == "1f1b");
    const auto& pass = json["ranks"][0]["passes"][0];
    CHECK(pass["direction"] == "forward");
    CHECK(pass["before"] == nlohmann::json{0});
    CHECK(pass["layers"][0]["tasks"] == nlohmann::json{1, 2});
}

} // namespace nadi::test
