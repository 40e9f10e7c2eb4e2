// SPDX-License-Identifier: GPL-2.0-only
// Collective algorithms of MSCCL as traces: they do what the collective promises, and run.
#include "system/library/msccl-file/msccl-file.h"
#include "tests/support/job-bench.h"
#include "tests/support/msccl-interpreter.h"
#include "tests/support/msccl-programs.h"
#include "tests/support/test-paths.h"
#include "workload/document/node-attributes.h"
#include "workload/tools/conversion/msccl-conversion.h"
#include "workload/trace/trace-file.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace nadi;
using namespace nadi::test;

namespace
{

using Symbols = MscclInterpreter::Symbols;

/// What chunk `chunk` of the output of `gpu` has to be.
Symbols
PromiseOf(const MscclAlgorithm& algorithm, uint32_t gpu, uint32_t chunk)
{
    const auto gpus = static_cast<uint32_t>(algorithm.gpus.size());
    const uint32_t share = algorithm.chunks / gpus;
    if (algorithm.collective == CollectiveType::AllGather)
    {
        return {{{chunk / share, chunk % share}, 1}};
    }
    Symbols sum;
    const bool isScattered = algorithm.collective == CollectiveType::ReduceScatter;
    for (uint32_t contributor = 0; contributor < gpus; ++contributor)
    {
        sum[{contributor, isScattered ? gpu * share + chunk : chunk}] = 1;
    }
    return sum;
}

/// In how many of 30 random orders of steps some output is not what was promised.
uint32_t
CountBrokenRuns(const MscclAlgorithm& algorithm)
{
    uint32_t broken = 0;
    for (uint32_t seed = 1; seed <= 30; ++seed)
    {
        MscclInterpreter interpreter(algorithm, seed);
        bool isRight = interpreter.Run();
        for (uint32_t gpu = 0; gpu < algorithm.gpus.size(); ++gpu)
        {
            for (uint32_t chunk = 0; chunk < algorithm.gpus[gpu].chunks[1]; ++chunk)
            {
                isRight &= interpreter.Output(gpu, chunk) == PromiseOf(algorithm, gpu, chunk);
            }
        }
        broken += isRight ? 0 : 1;
    }
    return broken;
}

std::string
RingTrace(uint32_t rank)
{
    return std::string(TEST_DATA) + "/traces/custom-ring/custom_allreduce." + std::to_string(rank) +
           ".et";
}

/// The algorithm that the traces of the sample were made from: their metadata has it.
MscclAlgorithm
ReadSampleAlgorithm()
{
    const TraceDocument document = ReadDocument(RingTrace(0));
    for (const auto& attribute : document.metadata.attr())
    {
        if (attribute.name() == "input_file")
        {
            return ParseMscclAlgorithm(attribute.string_val(), "input_file");
        }
    }
    FAIL("the sample has no input_file");
    return {};
}

MscclAlgorithm
ParseAlgorithm(const std::string& text)
{
    return ParseMscclAlgorithm(text, "a.xml");
}

/// "receive 8 from 2", "compute 24 B 2 ops after 0", ... in the order of the ids.
std::string
ListNodes(const ExecutionGraph& graph)
{
    std::vector<std::string> parents(graph.NodeCount());
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        for (const uint32_t child : graph.Children(index))
        {
            parents[child] += " " + std::to_string(graph.Node(index).id);
        }
    }
    std::string list;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        list += node.type == NodeType::Compute
                    ? fmt::format("compute {} B {} ops", node.size, node.operations)
                    : fmt::format("{} {} B {} tag {}",
                                  node.type == NodeType::Send ? "send" : "receive",
                                  node.size,
                                  node.peer,
                                  node.tag);
        list += parents[index].empty() ? "\n" : " after" + parents[index] + "\n";
    }
    return list;
}

} // namespace

TEST_CASE("MSCCL's sample does what an all-reduce promises", "[trace-tools]")
{
    const MscclAlgorithm sample = ReadSampleAlgorithm();
    CHECK(sample.collective == CollectiveType::AllReduce);
    REQUIRE(sample.gpus.size() == 8);
    CHECK(CountBrokenRuns(sample) == 0);
}

TEST_CASE("the programs of these tests keep their promises", "[trace-tools]")
{
    CHECK(CountBrokenRuns(ParseAlgorithm(MakeAllGatherRing(4))) == 0);
    CHECK(CountBrokenRuns(ParseAlgorithm(MakeReduceScatterRing())) == 0);
    CHECK(CountBrokenRuns(ParseAlgorithm(MakeExchange())) == 0);
    // An addition that does not wait for its operand is wrong in some orders.
    const uint32_t broken = CountBrokenRuns(ParseAlgorithm(MakeExchange("-1", "-1")));
    CHECK(broken > 0);
    CHECK(broken < 30);
}

TEST_CASE("an algorithm of MSCCL becomes the traces that the sample has", "[trace-tools]")
{
    const Workload job = MakeMscclWorkload(ReadSampleAlgorithm(), Bytes(1 << 20));
    REQUIRE(job.RankCount() == 8);
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        const ExecutionGraph& made = job.GraphOf(RankId{rank});
        const ExecutionGraph sample = ReadTraceFile(RingTrace(rank), DependencyPolicy::Auto).graph;
        REQUIRE(made.NodeCount() == sample.NodeCount());
        for (uint32_t index = 0; index < made.NodeCount(); ++index)
        {
            ExecutionNode node = made.Node(index);
            const ExecutionNode& other = sample.Node(index);
            CHECK(node.id == other.id);
            CHECK(node.type == other.type);
            CHECK(std::ranges::equal(made.Children(index), sample.Children(index)));
            if (node.type != NodeType::Compute)
            {
                CHECK(node.size == other.size);
                CHECK(node.peer == other.peer);
                CHECK(node.tag == other.tag);
            }
        }
    }
}

TEST_CASE("each thing that a step does is a node, after what the step waits for", "[trace-tools]")
{
    // 2 chunks of 10 bytes: 5 bytes each; a step moves both. A copy reads and writes them, an
    // addition reads twice as much, and adds 3 elements of 4 bytes, the last of which is cut.
    const Workload exchange = MakeMscclWorkload(ParseAlgorithm(MakeExchange()), Bytes(10));
    CHECK(ListNodes(exchange.GraphOf(RankId{1})) == "send 10 B 0 tag 0\n"
                                                    "compute 20 B 0 ops\n"
                                                    "receive 10 B 0 tag 0\n"
                                                    "compute 30 B 3 ops after 1 2\n");
    // 3 chunks of 10 bytes: 3 and a third, rounded up.
    const Workload passing = MakeMscclWorkload(ParseAlgorithm(MakeReduceScatterRing()), Bytes(10));
    CHECK(ListNodes(passing.GraphOf(RankId{2})) == "send 4 B 0 tag 0\n"
                                                   "receive 4 B 1 tag 0 after 0\n"
                                                   "compute 12 B 1 ops after 1\n"
                                                   "send 4 B 0 tag 0 after 2\n"
                                                   "receive 4 B 1 tag 0 after 3\n"
                                                   "compute 12 B 1 ops after 4\n");
}

TEST_CASE("traces of an algorithm run to the end", "[trace-tools]")
{
    const auto finish = [](const MscclAlgorithm& algorithm)
    {
        JobBench bench(MakeMscclWorkload(algorithm, Bytes(1 << 20)));
        bench.Run();
        REQUIRE(bench.Engine().IsFinished());
        double end = 0;
        for (const auto& [rank, node] : bench.Completions())
        {
            end = std::max(end, bench.Span(rank, node).end);
        }
        return end;
    };
    // Of 8 GPUs, each sends 14 times, one send after the other is delivered.
    CHECK(finish(ReadSampleAlgorithm()) == 14 * JobBench::DELAY_NS);
    CHECK(finish(ParseAlgorithm(MakeAllGatherRing(5))) == 4 * JobBench::DELAY_NS);
    CHECK(finish(ParseAlgorithm(MakeExchange())) == JobBench::DELAY_NS);
}
