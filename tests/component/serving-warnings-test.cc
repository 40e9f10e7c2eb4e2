// SPDX-License-Identifier: GPL-2.0-only
// What a cluster that serves tells besides its results.
#include "tests/support/scratch-directory.h"
#include "tests/support/serve-yaml.h"
#include "tests/support/small-cluster.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

/// The notes on the input that begin so.
size_t
CountNotes(const std::string& yaml, const std::string& begin)
{
    const std::vector<std::string> notes = ServeYaml({yaml}).notes;
    return static_cast<size_t>(std::count_if(notes.begin(),
                                             notes.end(),
                                             [&](const std::string& note)
                                             { return note.starts_with(begin); }));
}

} // namespace

TEST_CASE("Serving: what has no effect on prompts with a common begin is told",
          "[component][serving]")
{
    const auto serve = [](const std::string& prefix, const std::string& rest)
    {
        return WithServe("    requests: {rate: 100 /s, count: 3, input: 64, output: 2" + prefix +
                         "}\n    instances: [{tp: 1}]\n" + rest);
    };
    const std::string prefix = ", prefix: {tokens: 32, groups: 1}";
    const std::string on = "    batching: {prefix-cache: on}\n";
    const std::string router = "    router: prefix\n";
    const std::string ofPrefix = "workload.serve.requests.prefix has no effect";
    const std::string ofCache = "workload.serve.batching.prefix-cache has no effect";
    const std::string ofRouter = "workload.serve.router: prefix finds no prompt in a cache";
    CHECK(CountNotes(serve(prefix, ""), ofPrefix) == 1);
    CHECK(CountNotes(serve("", on), ofCache) == 1);
    CHECK(CountNotes(serve("", router), ofRouter) == 1);
    for (const std::string& note : {ofPrefix, ofCache, ofRouter})
    {
        CHECK(CountNotes(serve(prefix, on + router), note) == 0);
        CHECK(CountNotes(serve("", ""), note) == 0);
    }
    // Blocks of 16 tokens: of 8 tokens in common no block is full.
    const std::string idle = "workload.serve.batching.prefix-cache had no effect";
    CHECK(HasWarning(ServeYaml({serve(", prefix: {tokens: 8, groups: 1}", on)}), idle));
    CHECK(!HasWarning(ServeYaml({serve(prefix, on)}), idle));
}

TEST_CASE("Serving: keys that have nothing to act on are told", "[component][serving]")
{
    const std::string yaml =
        WithServe("    requests: {rate: 100 /s, count: 3, input: 64, output: 2}\n"
                  "    instances: [{tp: 1}]\n");
    const auto isTold = [&](const std::string& setting, const std::string& begin)
    {
        const ServedRun run = ServeYaml({yaml, {setting}});
        return HasWarning(run, begin) || std::ranges::any_of(run.notes,
                                                             [&](const std::string& note)
                                                             { return note.starts_with(begin); });
    };
    const std::string ofGroups = "workload.serve.requests.prefix.groups has no effect";
    CHECK(isTold("workload.serve.requests.prefix.groups=8", ofGroups));
    CHECK_FALSE(isTold("workload.serve.requests.prefix={tokens: 32, groups: 8}", ofGroups));
    const std::string ofExperts = "workload.serve.model.expert-dtype has no effect";
    CHECK(isTold("workload.serve.model.expert-dtype=fp8", ofExperts));
    CHECK_FALSE(isTold("workload.serve.model.dtype=fp8", ofExperts));
}

TEST_CASE("Serving: algorithms that were replaced are told once, with their groups",
          "[component][serving]")
{
    // Groups of four are no grid of 3 x 3.
    const auto serve = [](const std::string& algorithms, const std::string& output)
    {
        return ServeYaml({R"(
network:
  backend: analytical
  dimensions: [{shape: switch, size: 3, bandwidth: 50 GB/s, latency: 500 ns},
               {shape: switch, size: 3, bandwidth: 50 GB/s, latency: 500 ns}]
)" + SMALL_CLUSTER.substr(SMALL_CLUSTER.find("system:")) +
                              R"(
    requests: {rate: 100 /s, count: 4, input: 64, output: 2}
    router: round-robin
    instances: [{count: 2, tp: 4}]
)",
                          {"system.collectives.all-reduce=" + algorithms, output}});
    };
    const std::string kept = "output.collectives=on";
    const std::string dropped = "output.collectives=auto";
    const ServedRun run = serve("[direct, halving-doubling]", dropped);
    CHECK(run.results.collectives.empty());
    const auto isOfAllReduce = [](const std::string& warning)
    { return warning.starts_with("all-reduce of communicator "); };
    REQUIRE(std::ranges::count_if(run.results.warnings, isOfAllReduce) == 1);
    const std::string warning = *std::ranges::find_if(run.results.warnings, isOfAllReduce);
    CHECK_THAT(
        warning,
        Catch::Contains(" {0..3} and of 1 more ran ring, not direct or halving-doubling: its "
                        "ranks are no grid in the logical stack"));
    // Kept collectives change nothing about it, and one entry stands for all calls of a group.
    const ServedRun whole = serve("[direct, halving-doubling]", kept);
    CHECK(HasWarning(whole, warning));
    CHECK(whole.results.ranAlgorithms == run.results.ranAlgorithms);
    CHECK(whole.results.collectives.size() > 10);
    CHECK(run.results.ranAlgorithms.size() == 2);
    CHECK(!HasWarning(serve("{flat: direct}", dropped), "all-reduce of communicator "));
}

TEST_CASE("Serving: wishes that a library cannot meet are told", "[component][serving]")
{
    const auto serve = [](const std::string& algorithm)
    {
        return ServeYaml({R"(
network:
  backend: analytical
  topology: {generator: rail, nodes: 1, npus-per-node: 8, spines: 1,
             nvlink: {bandwidth: 450 GB/s, latency: 500 ns},
             nic: {bandwidth: 50 GB/s, latency: 1 us}}
system:
  compute: {model: roofline, peak: 100 TFLOP/s, memory-bandwidth: 1 TB/s}
  library: {name: nccl, algorithm: )" +
                          algorithm + "}\n" +
                          SMALL_CLUSTER.substr(SMALL_CLUSTER.find("workload:")) + R"(
    requests: {rate: 100 /s, count: 3, input: 64, output: 2}
    instances: [{tp: 4}]
)"});
    };
    const ServedRun run = serve("nvls-tree");
    const auto warning = std::ranges::find_if(run.results.warnings,
                                              [](const std::string& text)
                                              { return text.starts_with("all-reduce of comm"); });
    REQUIRE(warning != run.results.warnings.end());
    CHECK_THAT(*warning, Catch::Contains(" {0..3} ran ") && Catch::Contains(", not nvls-tree: "));
    CHECK(!HasWarning(serve("ring"), "all-reduce of communicator "));
}

TEST_CASE("Serving: a file of requests whose common begins are not kept is told",
          "[component][serving]")
{
    const test::ScratchDirectory scratch("serving-hash-ids");
    const std::string line = R"("input_length": 1024, "output_length": 2, "hash_ids": [1, 2]})";
    const auto serve = [&](const std::string& file, const std::string& rest)
    { return WithServe("    requests: {trace: " + file + "}\n    instances: [{tp: 1}]\n" + rest); };
    const std::string on = "    batching: {prefix-cache: on}\n";
    const std::string shared =
        scratch
            .Write("shared.jsonl",
                   R"({"timestamp": 0, )" + line + "\n" + R"({"timestamp": 900, )" + line + "\n")
            .string();
    const std::string plain =
        scratch
            .Write("plain.jsonl",
                   R"({"input_toks": 1024, "output_toks": 2, "arrival_time_ns": 0})"
                   "\n")
            .string();
    const std::string lost = "2 requests of the file say what their prompts have in common";
    const std::string idle = "workload.serve.batching.prefix-cache had no effect";
    CHECK(HasWarning(ServeYaml({serve(shared, "")}), lost));
    CHECK(!HasWarning(ServeYaml({serve(shared, on)}), lost));
    CHECK(!HasWarning(ServeYaml({serve(shared, on)}), idle));
    CHECK(HasWarning(ServeYaml({serve(plain, on)}), idle));
    CHECK(!HasWarning(ServeYaml({serve(plain, "")}), idle));
}

TEST_CASE("Serving: a note says how many layers are simulated", "[component][serving]")
{
    const auto serve = [](const std::string& layers)
    {
        return WithServe("    requests: {rate: 100 /s, count: 3, input: 64, output: 2}\n"
                         "    instances: [{tp: 2, pp: 2}, {tp: 1}]\n    layers: " +
                         layers + "\n");
    };
    const std::string begin = "workload.serve.layers: ";
    CHECK(CountNotes(serve("1"), begin + "1 of the 4 layers of a stage are simulated") == 1);
    CHECK(CountNotes(serve("all"), begin) == 0);
}

TEST_CASE("Serving: layers in full that met keys and values on their way are told",
          "[component][serving]")
{
    // The second prompt is computed while keys and values of the first one leave by the same ports.
    const auto serve = [](const std::string& network, const std::string& rest)
    {
        return ServeYaml({"network: {backend: analytical, dimensions: [" + network + "]}\n" +
                          SMALL_CLUSTER.substr(SMALL_CLUSTER.find("system:")) + R"(
    requests: {arrivals: closed, users: 2, count: 2, input: 512, output: 2}
    batching: {max-tokens: 512}
    instances: [{role: prefill, tp: 2}, {role: decode, tp: 2}]
)" + rest});
    };
    const std::string shared = "{shape: switch, size: 4, bandwidth: 10 GB/s, latency: 500 ns}";
    const std::string begin = "workload.serve.layers: in 1 of ";
    const ServedRun run = serve(shared, "    layers: 1\n");
    CHECK(run.results.serving->passes.disturbed == 1);
    CHECK(HasWarning(run, begin));
    CHECK(!HasWarning(serve(shared, ""), begin));
    CHECK(!HasWarning(serve(shared, "    layers: 1\n    kv-transfer: {when: layer}\n"), begin));
    // Sums stay in each node; only keys and values go from one to the other.
    const ServedRun apart = serve("{shape: switch, size: 2, bandwidth: 100 GB/s, latency: 500 ns}, "
                                  "{shape: switch, size: 2, bandwidth: 10 GB/s, latency: 500 ns}",
                                  "    layers: 1\n");
    CHECK(apart.results.serving->passes.disturbed > 0);
    CHECK(!HasWarning(apart, begin));
}

TEST_CASE("Serving: recorded routes that are drawn instead are told", "[component][serving]")
{
    const test::ScratchDirectory scratch("serving-routes");
    const std::string file = scratch
                                 .Write("routes.csv",
                                        "iteration,layer,rank,expert,tokens\n"
                                        "0,0,0,0,4\n0,0,1,0,1\n0,0,1,1,3\n")
                                 .string();
    const auto serve = [&](const std::string& input)
    {
        return ServeYaml({SMALL_CLUSTER.substr(0, SMALL_CLUSTER.find("    model:")) + R"(
    model: {layers: 1, hidden: 256, heads: 8, experts: 2, top-k: 1, expert-ffn: 64, vocabulary: 0}
    requests: {arrivals: closed, users: 2, count: 2, output: 1, input: )" +
                          input + R"(}
    router: round-robin
    experts: {routing: {trace: )" +
                          file + R"(}}
    instances: [{dp: 2, ep: 2}]
)"});
    };
    const std::string begin = "workload.serve.experts.routing.trace: the routes of 1 of 1 passes";
    const ServedRun repeated = serve("4");
    CHECK(!HasWarning(repeated, begin));
    CHECK(repeated.results.serving->experts.ByRank().front().tokens == 5);
    CHECK(HasWarning(serve("5"), begin));
}

TEST_CASE("Serving: prompts that leave micro-batches empty are told", "[component][serving]")
{
    const auto serve = [](const std::string& users)
    {
        return ServeYaml({SMALL_CLUSTER.substr(0, SMALL_CLUSTER.find("    model:")) + R"(
    model: {layers: 2, hidden: 256, heads: 8, experts: 4, top-k: 1, expert-ffn: 64, vocabulary: 0}
    requests: {arrivals: closed, input: 64, output: 3, users: )" +
                          users + ", count: " + users + R"(}
    instances: [{role: attention, name: a, micro-batches: 2}, {role: ffn, pair: a, ep: 1}]
)"});
    };
    // Two passes more compute single tokens, which nothing can cut.
    CHECK(HasWarning(serve("1"), "micro-batches: 1 of 3 passes had prompts of fewer requests"));
    CHECK(!HasWarning(serve("2"), "micro-batches: "));
}

TEST_CASE("Serving: a file of requests that begins late is told", "[component][serving]")
{
    const test::ScratchDirectory scratch("serving-late");
    const auto serve = [&](const std::string& first, const std::string& second)
    {
        const std::string file = scratch
                                     .Write("late.csv",
                                            "arrived_at,num_prefill_tokens,num_decode_tokens\n" +
                                                first + ",64,2\n" + second + ",64,2\n")
                                     .string();
        return ServeYaml(
            {WithServe("    requests: {trace: " + file + "}\n    instances: [{tp: 1}]\n")});
    };
    const std::string begin = "the first request of the file arrives at 1000 s, and rates";
    CHECK(HasWarning(serve("1000", "1001"), begin));
    CHECK(!HasWarning(serve("0.5", "1001"), "the first request of the file"));
}

TEST_CASE("Serving: requests above the sequence of the model are told", "[component][serving]")
{
    const std::string serve = R"(
    requests: {rate: 100 /s, count: 3, input: 2000, output: 49}
    instances: [{tp: 1}]
)";
    const std::string begin = "the longest request has 2049 tokens with its answer, more than the "
                              "sequence of the model, 2048";
    CHECK(HasWarning(ServeYaml({WithServe(serve)}), begin));
    CHECK(!HasWarning(ServeYaml({WithServe(serve), {"workload.serve.requests.output=48"}}),
                      "the longest request"));
}
