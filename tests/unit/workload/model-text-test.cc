// SPDX-License-Identifier: GPL-2.0-only
// Text workloads of ASTRA-sim 1.0: what is read, and what waits for what.
#include "tests/support/config-error-text.h"
#include "tests/support/job-bench.h"
#include "tests/support/model-bench.h"
#include "tests/support/scratch-directory.h"
#include "workload/models/generated-job.h"
#include "workload/models/text-writer.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Two layers of different numbers in every column.
std::string
MakeText(const std::string& policy)
{
    return policy + "\n2\n" +
           "one -1 100 ALLGATHER 1000 200 ALLREDUCE 2000 300 ALLREDUCE 3000 40\n"
           "two -1 500 ALLGATHER 5000 600 ALLREDUCE 6000 700 ALLREDUCE 7000 80\n";
}

ExecutionGraph
MakeGraph(const std::string& text, uint64_t passes = 1, uint32_t ranks = 8, uint32_t block = 2)
{
    return MakeTextGraph(ParseTextFile(text, "t.txt"), RankBlocks(ranks, block), passes);
}

uint32_t
FindNode(const ExecutionGraph& graph, const std::string& name)
{
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        if (graph.Name(node) == name)
        {
            return node;
        }
    }
    FAIL("no node " + name);
    return 0;
}

bool
WaitsFor(const ExecutionGraph& graph, const std::string& child, const std::string& parent)
{
    const auto children = graph.Children(FindNode(graph, parent));
    return std::find(children.begin(), children.end(), FindNode(graph, child)) != children.end();
}

/// "type group bytes" of every collective, in the order of the ids.
std::string
ListCalls(const ExecutionGraph& graph)
{
    std::string text;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        if (node.type == NodeType::Collective)
        {
            text += std::to_string(node.size) + graph.GroupNames()[node.group] + " ";
        }
    }
    return text;
}

} // namespace

TEST_CASE("Text model: so many passes are refused as have more nodes than the largest job",
          "[unit][workload]")
{
    const ScratchDirectory scratch("text-passes");
    const std::string file = scratch.Write("w.txt", MakeText("HYBRID_MODEL_DATA"));
    const auto error = [&file](uint64_t passes)
    {
        const ModelValues values{{"file", file}, {"passes", std::to_string(passes)}};
        return ConfigErrorText([&] { MakeModelJob("text", values, {4, {2, 2}}); });
    };
    // Of two layers, forward two kernels; backward two gradients of inputs and two of weights. Each
    // has its collective and its update, but not the first layer's gradient of inputs.
    CHECK(error(1000000) == "passes: 1000000 passes of some 16 nodes each are more than the "
                            "10000000 nodes of the largest job; write 625000 or fewer");
    CHECK(error(10) == "");
}

TEST_CASE("Text workloads: times are nanoseconds, columns keep their places", "[unit][workload]")
{
    const TextFile file = ParseTextFile(MakeText("MODEL"), "t.txt");
    REQUIRE(file.layers.size() == 2);
    const TextLayer& layer = file.layers[1];
    CHECK(layer.name == "two");
    CHECK(layer.forward.compute == SimTime::FromNs(500));
    CHECK(layer.forward.collective == CollectiveType::AllGather);
    CHECK(layer.forward.bytes == 5000);
    CHECK(layer.inputGradient.compute == SimTime::FromNs(600));
    CHECK(layer.inputGradient.bytes == 6000);
    CHECK(layer.weightGradient.compute == SimTime::FromNs(700));
    CHECK(layer.weightGradient.bytes == 7000);
    CHECK(layer.forward.update == SimTime::FromNs(80));
    CHECK(layer.inputGradient.update == SimTime::FromNs(80));
    CHECK(layer.weightGradient.update == SimTime::FromNs(80));
}

TEST_CASE("Text workloads: each policy communicates over its ranks", "[unit][workload]")
{
    CHECK(ListCalls(MakeGraph(MakeText("DATA"))) == "7000 3000 ");
    CHECK(ListCalls(MakeGraph(MakeText("MICRO"))) == "3000 ");
    CHECK(ListCalls(MakeGraph(MakeText("MODEL"))) == "1000 5000 6000 ");
    CHECK(ListCalls(MakeGraph(MakeText("DISTRIBUTED_INFERENCE"))) == "1000 5000 ");
    // decode_involved_dimensions of ASTRA-sim's Workload.cc: DATA_MODEL has activations in the
    // first dimension, MODEL_DATA has weights there.
    CHECK(ListCalls(MakeGraph(MakeText("HYBRID_DATA_MODEL"))) ==
          "1000inner 5000inner 6000inner 7000outer 3000outer ");
    CHECK(ListCalls(MakeGraph(MakeText("HYBRID_MODEL_DATA"))) ==
          "1000outer 5000outer 6000outer 7000inner 3000inner ");
    CHECK(ListCalls(MakeGraph(MakeText("HYBRID_TRANSFORMER model_parallel_NPU_group: 2"))) ==
          "1000inner 5000inner 6000inner 7000outer 2000inner 3000outer ");
    // Of an embedding's vectors no collective but an all-to-all is called.
    CHECK(ListCalls(MakeGraph(MakeText("HYBRID_DLRM 0"))) == "7000 2000 3000 ");
    // A group of one rank calls nothing.
    CHECK(ListCalls(MakeGraph(MakeText("HYBRID_MODEL_DATA"), 1, 8, 1)) ==
          "1000outer 5000outer 6000outer ");
}

TEST_CASE("Text workloads: all-gathers of SimAI are sized by what they gather, others by the shard",
          "[unit][workload]")
{
    const auto calls = [](const std::string& settings)
    {
        return ListCalls(MakeGraph("HYBRID_TRANSFORMER model_parallel_NPU_group: 4 " + settings +
                                       "\n1\na -1 1 ALLGATHER 4001 1 REDUCESCATTER 4000 "
                                       "1 ALLGATHER 801 1\n",
                                   1,
                                   8,
                                   4));
    };
    CHECK(calls("") == "4001inner 4000inner 801outer ");
    // Blocks of 4 ranks, and 2 ranks across them; a size that does not divide is rounded up.
    const std::string setting = GENERATE("all_gpus: 8", "ep: 1", "vpp: 2");
    CAPTURE(setting);
    CHECK(calls(setting) == "1001inner 4000inner 401outer ");
}

TEST_CASE("Text workloads: a customized one has a policy for each layer", "[unit][workload]")
{
    const std::string text = "HYBRID_CUSTOMIZED\n2\n"
                             "one -1 100 ALLGATHER 1000 200 NONE 0 300 ALLREDUCE 3000 40 DATA\n"
                             "two -1 500 ALLTOALL 5000 600 NONE 0 700 ALLREDUCE 7000 80 MODEL\n";
    CHECK(ListCalls(MakeGraph(text)) == "5000 3000 ");
    const std::string hybrids =
        "HYBRID_CUSTOMIZED\n2\n"
        "one -1 1 ALLGATHER 1000 1 NONE 0 1 ALLREDUCE 3000 1 HYBRID_DATA_MODEL\n"
        "two -1 1 ALLTOALL 5000 1 NONE 0 1 ALLREDUCE 7000 1 HYBRID_MODEL_DATA\n";
    CHECK(ListCalls(MakeGraph(hybrids)) == "1000inner 5000outer 7000inner 3000outer ");
}

TEST_CASE("Text workloads: a layer waits for activations, a step for updates", "[unit][workload]")
{
    const ExecutionGraph graph = MakeGraph(MakeText("HYBRID_MODEL_DATA"), 2);
    CHECK(WaitsFor(graph, "step 0 one forward all-gather", "step 0 one forward"));
    CHECK(WaitsFor(graph, "step 0 one forward update", "step 0 one forward all-gather"));
    CHECK(WaitsFor(graph, "step 0 two forward", "step 0 one forward update"));
    CHECK(WaitsFor(graph, "step 0 two input gradient", "step 0 two forward update"));
    CHECK(WaitsFor(graph, "step 0 one input gradient", "step 0 two input gradient update"));
    CHECK(!WaitsFor(graph, "step 0 two weight gradient", "step 0 two input gradient update"));
    CHECK(WaitsFor(
        graph, "step 0 two weight gradient update", "step 0 two weight gradient all-reduce"));
    CHECK(WaitsFor(graph, "step 1 two forward", "step 0 two weight gradient update"));
    CHECK(WaitsFor(graph, "step 1 one forward", "step 0 one weight gradient update"));
}

namespace
{

/// The metrics of a rank that runs this text with one other.
RankMetrics
RunOnTwo(const std::string& text)
{
    GeneratedJob job;
    job.graphs.push_back(MakeGraph(text, 1, 2, 2));
    job.graphOfRank = {0, 0};
    job.groupOf = [](uint32_t rank, const std::string& group)
    { return RankBlocks(2, 2).GroupOf(rank, group); };
    JobBench bench(MakeGeneratedWorkload(std::move(job)));
    bench.Run();
    REQUIRE(bench.Engine().IsFinished());
    return bench.Engine().Metrics(RankId{0});
}

} // namespace

namespace
{

SimTime
FinishOnTwo(const std::string& text)
{
    return RunOnTwo(text).finish;
}

/// How long an all-reduce takes on two ranks.
SimTime
ReduceOnTwo()
{
    return FinishOnTwo("DISTRIBUTED_INFERENCE\n1\n"
                       "one -1 0 ALLREDUCE 64 0 NONE 0 0 NONE 0 0\n");
}

const std::string BLOCK_OF_TWO = " model_parallel_NPU_group: 2";
const std::string REPEATS = " checkpoints: 1 0 checkpoint_initiates: 1 2";

} // namespace

// The closed forms below follow the states of Workload.cc of ASTRA-sim 1.x (commit f2972f4a).

TEST_CASE("Text workloads: DATA and DLRM sum weights while the input gradient is computed",
          "[unit][workload]")
{
    const auto finish = [](const std::string& policy, const std::string& own)
    {
        return FinishOnTwo(policy + "\n2\none -1 0 NONE 0 0 NONE 0 0 NONE 0 0" + own +
                           "\ntwo -1 0 NONE 0 10000 NONE 0 1000 ALLREDUCE 64 0" + own + "\n");
    };
    const SimTime reduce = ReduceOnTwo();
    REQUIRE(reduce >= SimTime::FromNs(JobBench::DELAY_NS));
    REQUIRE(reduce < SimTime::FromNs(10000));
    for (const std::string policy : {"DATA", "HYBRID_DLRM 0", "HYBRID_DLRM_ENHANCED 0"})
    {
        CAPTURE(policy);
        CHECK(finish(policy, "") == SimTime::FromNs(1000 + 10000));
    }
    // A customized file takes the input gradient first, whatever its layers say.
    CHECK(finish("HYBRID_CUSTOMIZED", " DATA") == SimTime::FromNs(10000 + 1000) + reduce);
}

TEST_CASE("Text workloads: transformers wait for the input gradient's sum before the weights",
          "[unit][workload]")
{
    const auto finish = [](const std::string& policy)
    {
        return FinishOnTwo(policy + "\n2\none -1 0 NONE 0 0 NONE 0 0 NONE 0 0\n"
                                    "two -1 0 NONE 0 1000 ALLREDUCE 64 10000 NONE 0 0\n");
    };
    const SimTime inOrder = SimTime::FromNs(1000 + 10000) + ReduceOnTwo();
    CHECK(finish("HYBRID_TRANSFORMER" + BLOCK_OF_TWO) == inOrder);
    CHECK(finish("HYBRID_TRANSFORMER_FWD_IN_BCKWD" + BLOCK_OF_TWO) == inOrder);
    CHECK(finish("MODEL") == SimTime::FromNs(1000 + 10000));
    CHECK(finish("HYBRID_MODEL_DATA") == SimTime::FromNs(1000 + 10000));
}

TEST_CASE("Text workloads: most policies compute the first layer's input gradient",
          "[unit][workload]")
{
    const auto finish = [](const std::string& policy, const std::string& own) {
        return FinishOnTwo(policy + "\n1\none -1 1 NONE 0 100 ALLREDUCE 64 10 NONE 0 0" + own +
                           "\n");
    };
    for (const std::string policy : {"MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA"})
    {
        CAPTURE(policy);
        CHECK(finish(policy, "") == SimTime::FromNs(1 + 100 + 10));
    }
    CHECK(finish("HYBRID_CUSTOMIZED", " MODEL") == SimTime::FromNs(1 + 100 + 10));
    // Only these call its collective too.
    const SimTime called = SimTime::FromNs(1 + 100 + 10) + ReduceOnTwo();
    CHECK(finish("HYBRID_TRANSFORMER" + BLOCK_OF_TWO, "") == called);
    CHECK(finish("HYBRID_TRANSFORMER_FWD_IN_BCKWD" + BLOCK_OF_TWO, "") == called);
    CHECK(finish("DATA", "") == SimTime::FromNs(1 + 10));
}

TEST_CASE("Text workloads: forward is repeated up to the layer before the one that asks for it",
          "[unit][workload]")
{
    const std::string layer = " -1 10 NONE 0 0 NONE 0 0 NONE 0 0\n";
    // Three layers, then the first two again.
    CHECK(FinishOnTwo("HYBRID_TRANSFORMER_FWD_IN_BCKWD" + BLOCK_OF_TWO + REPEATS + "\n3\na" +
                      layer + "b" + layer + "c" + layer) == SimTime::FromNs((3 + 2) * 10));
}

TEST_CASE("Text workloads: MICRO calls the first layer's collective, and computes nothing",
          "[unit][workload]")
{
    const std::string layer = " -1 10 NONE 0 20 NONE 0 5000 ALLREDUCE 64 0\n";
    const std::string text = "MICRO\n3\na" + layer + "b" + layer + "c" + layer;
    CHECK(FinishOnTwo(text) == ReduceOnTwo());
    // Of each step, all at once.
    const ExecutionGraph steps = MakeGraph(text, 3);
    REQUIRE(steps.NodeCount() == 3);
    for (uint32_t node = 0; node < steps.NodeCount(); ++node)
    {
        CHECK(steps.Node(node).type == NodeType::Collective);
        CHECK(steps.ParentCount(node) == 0);
    }
}

TEST_CASE("Text workloads: the update time passes after each collective, and the NPU is idle",
          "[unit][workload]")
{
    // Layer.cc of ASTRA-sim 1.0: every collective that ends is followed by an event after
    // weight_grad_update_time, for which the next layer waits; nothing computes meanwhile.
    const auto text = [](const std::string& update)
    {
        return "MODEL\n2\n"
               "one -1 100 ALLGATHER 64 200 ALLREDUCE 64 300 ALLREDUCE 64 " +
               update + "\ntwo -1 500 ALLGATHER 64 600 ALLREDUCE 64 700 ALLREDUCE 64 " + update +
               "\n";
    };
    const RankMetrics without = RunOnTwo(text("0"));
    const RankMetrics with = RunOnTwo(text("1000"));
    // Everything waits for two collectives forward and for one of input gradients. The weight
    // gradient of layer two is computed beside the latter, which takes longer. Nobody sums weights.
    static_assert(JobBench::DELAY_NS > 700);
    CHECK(with.finish == without.finish + SimTime::FromNs(3 * 1000));
    CHECK(with.idle == without.idle + SimTime::FromNs(3 * 1000));
    CHECK(with.compute == SimTime::FromNs(100 + 500 + 600 + 700 + 200 + 300));
}

TEST_CASE("Text workloads: the embedding's exchange runs beside the bottom layers",
          "[unit][workload]")
{
    const std::string text = "HYBRID_DLRM DLRM_LAST_BOTTOM_LAYER: 1\n3\n"
                             "embedding -1 10 ALLTOALL 100 10 ALLTOALL 200 10 NONE 0 1\n"
                             "bottom -1 20 NONE 0 20 NONE 0 20 ALLREDUCE 300 1\n"
                             "top -1 30 NONE 0 30 NONE 0 30 ALLREDUCE 400 1\n";
    const ExecutionGraph graph = MakeGraph(text);
    CHECK(ListCalls(graph) == "100 400 200 300 ");
    CHECK(!WaitsFor(graph, "bottom forward", "embedding forward update"));
    CHECK(WaitsFor(graph, "top forward", "embedding forward update"));
    CHECK(WaitsFor(graph, "embedding input gradient all-to-all", "top input gradient"));
}

TEST_CASE("Text workloads: a step of DLRM ends with the embedding's exchange, but for ENHANCED",
          "[unit][workload]")
{
    const auto graph = [](const std::string& policy)
    {
        return MakeGraph(policy + " 0\n2\n"
                                  "embedding -1 10 ALLTOALL 100 10 ALLTOALL 200 10 NONE 0 1\n"
                                  "top -1 30 NONE 0 30 NONE 0 30 ALLREDUCE 400 1\n",
                         2);
    };
    const std::string exchange = "step 0 embedding input gradient update";
    const ExecutionGraph plain = graph("HYBRID_DLRM");
    // The source asks for the exchange behind the kernel of the embedding's weights.
    CHECK(!WaitsFor(plain, "step 0 embedding weight gradient", exchange));
    CHECK(WaitsFor(plain, "step 1 embedding forward", exchange));
    const ExecutionGraph enhanced = graph("HYBRID_DLRM_ENHANCED");
    CHECK(enhanced.Children(FindNode(enhanced, exchange)).empty());
}

TEST_CASE("Text workloads: forward is repeated from the last checkpoint where it is asked for",
          "[unit][workload]")
{
    const std::string layer = " -1 10 NONE 0 10 NONE 0 10 NONE 0 1\n";
    const ExecutionGraph graph =
        MakeGraph("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 checkpoints: 2 0 2 "
                  "checkpoint_initiates: 2 3 1\n4\na" +
                  layer + "b" + layer + "c" + layer + "d" + layer);
    std::string again;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        again += NameHas(graph, node, "again") ? std::string(graph.Name(node), 0, 1) : "";
    }
    // Each time up to the layer before the one that asks for it.
    CHECK(again == "ca");
}

TEST_CASE("Text workloads: a step over one rank takes the sum of its kernels", "[unit][workload]")
{
    GeneratedJob job;
    job.graphs.push_back(MakeGraph(MakeText("DATA"), 1, 1, 1));
    job.graphOfRank = {0};
    JobBench bench(MakeGeneratedWorkload(std::move(job)));
    bench.Run();
    REQUIRE(bench.Engine().IsFinished());
    // With DATA the first layer has no gradient of its input; nobody communicates, so nothing is
    // updated.
    CHECK(bench.Engine().Metrics(RankId{0}).finish == SimTime::FromNs(100 + 500 + 600 + 700 + 300));
}

TEST_CASE("Text workloads: what is wrong is named with its line", "[unit][workload]")
{
    const auto error = [](const std::string& text)
    { return ConfigErrorText([&] { ParseTextFile(text, "t.txt"); }); };
    CHECK(error("") == "t.txt: is no text workload; write its policy, the number of its layers, "
                       "and a line for each layer");
    CHECK(error(MakeText("MODLE")) ==
          "t.txt:1: \"MODLE\" is no policy of text workloads (did you mean MODEL?)");
    CHECK(error(MakeText("HYBRID_TRANSFORMER")) ==
          "t.txt:1: ends before the size of a model-parallel group");
    CHECK(
        error(MakeText("HYBRID_TRANSFORMER model_parallel_NPU_group: 4294967304")) ==
        "t.txt:1: \"4294967304\" is no size of a model-parallel group; write a whole number up to "
        "2^24");
    CHECK(error(MakeText("HYBRID_DLRM 1")) ==
          "t.txt:1: no layer follows the last bottom layer, 1; write one below 1");
    CHECK(error("DATA\n2\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n") ==
          "t.txt:2: says 2 layers, but 1 follow");
    CHECK(error("DATA\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0\n") ==
          "t.txt:3: ends before the time of the update");
    CHECK(error("DATA\n1\na -1 1.5 NONE 0 1 NONE 0 1 NONE 0 1\n") ==
          "t.txt:3: \"1.5\" is no compute time; write a whole number up to 2^53");
    CHECK(error("DATA\n1\na -1 1 ALLREDUC 8 1 NONE 0 1 NONE 0 1\n") ==
          "t.txt:3: \"ALLREDUC\" is no collective of text workloads (did you mean ALLREDUCE?)");
    CHECK(error("DATA\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 1 DATA\n") ==
          "t.txt:3: has 13 columns; write 12");
    CHECK(error("DATA\n1\ncaf\xe9 -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n") ==
          "t.txt:3: is not in UTF-8, as traces and results are; save the file in UTF-8");
    CHECK(error("DATA\n1\ncaf\xc3\xa9 -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n").empty());
    CHECK(ConfigErrorText([] { ReadTextFile("/missing/t.txt"); }) ==
          "file: \"/missing/t.txt\" cannot be read; name a text workload");
}
