// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "tests/support/serve-yaml.h"
#include "tests/support/small-cluster.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi;

TEST_CASE("Serving: one server with a fixed service time", "[component][serving]")
{
    // One request at a time, all of one length: every first token comes a service after the later
    // of the arrival and the first token before.
    const ServedRun run = ServeYaml({WithServe(R"(
    requests: {rate: 3000 /s, count: 4000, input: 256, output: 1}
    batching: {max-requests: 1}
    instances: [{tp: 1}]
)")});
    REQUIRE(run.results.status == RunStatus::Done);
    REQUIRE(run.requests.size() == 4000);
    const SimTime service = run.requests.at(0).Ttft();
    SimTime free;
    for (const auto& [id, request] : run.requests)
    {
        const SimTime expected = std::max(request.arrival, free) + service;
        REQUIRE(request.firstToken == expected);
        REQUIRE(request.end == expected);
        free = expected;
    }
    // M/D/1 (DistServe, OSDI 2024, section 3): D + R D^2 / (2 (1 - R D)). 4000 requests scatter.
    const double d = service.Ns() / 1e9;
    const double r = 3000;
    REQUIRE(r * d < 0.9);
    CHECK(run.results.serving->ttft.Mean().Ns() / 1e9 ==
          Approx(d + r * d * d / (2 * (1 - r * d))).epsilon(0.15));
}

TEST_CASE("Serving: a request alone takes the passes of its tokens", "[component][serving]")
{
    const ServedRun run = ServeYaml({WithServe(R"(
    requests: {rate: 1 /s, count: 1, input: 300, output: 3}
    batching: {max-tokens: 128}
    instances: [{tp: 2}]
)")});
    const InstanceTotals& instance = run.results.serving->instances.front();
    CHECK(instance.iterations == 3 + 2); // 128 + 128 + 44 tokens of the prompt, and two tokens
    CHECK(instance.tokens == 300 + 2);
    const RequestRecord& request = run.requests.at(0);
    CHECK(request.start == request.arrival);
    CHECK(instance.busy == request.end - request.arrival);
    CHECK(run.results.finish == request.end);
    CHECK(run.results.serving->tokensOut == 3);
    // Two all-reduces a layer and one of the embedding, in each of five passes.
    CHECK(run.results.ranks[0].communication.front().calls == 5 * (2 * 4 + 1));
}

TEST_CASE("Serving: keys and values go from prefill to decode", "[component][serving]")
{
    const std::string serve = R"(
    requests: {rate: 1 /s, count: 1, input: 512, output: 4}
    instances: [{role: prefill, tp: PREFILL}, {role: decode, tp: DECODE, pp: STAGES}]
)";
    const auto fill =
        [&](const std::string& prefill, const std::string& decode, const std::string& stages)
    {
        std::string text = WithServe(serve);
        text.replace(text.find("PREFILL"), 7, prefill);
        text.replace(text.find("DECODE"), 6, decode);
        text.replace(text.find("STAGES"), 6, stages);
        return text;
    };
    // A token has 2 x 1024 x 2 B in each of 4 layers: 8 MiB for 512 of them.
    const double bytes = 512 * 4 * 2 * 1024 * 2;
    for (const auto& [prefill, decode, stages, ways] : {std::tuple("1", "1", "1", 1.0),
                                                        {"2", "2", "1", 2.0},
                                                        {"4", "2", "2", 4.0},
                                                        {"2", "4", "1", 2.0}})
    {
        CAPTURE(prefill, decode, stages);
        const ServedRun run =
            ServeYaml({fill(prefill, decode, stages), {"network.backend=packet"}});
        REQUIRE(run.results.status == RunStatus::Done);
        const RequestRecord& request = run.requests.at(0);
        // The slowest of the ports, which have equal parts, and two links.
        const double expected = bytes / ways / 50.0 + 1000;
        CHECK(request.transfer.Ns() == Approx(expected).epsilon(0.03)); // headers
        CHECK(request.output == 4);
        CHECK(run.results.serving->itl.Count() == 3);
    }
}

TEST_CASE("Serving: the shares of a transfer are what the cache of the other side needs",
          "[component][serving]")
{
    const ServedRun run = ServeYaml({WithServe(R"(
    requests: {rate: 100 /s, count: 40, input: {distribution: uniform, min: 10, max: 600}, output: 8}
    instances: [{role: prefill, tp: 4, count: 2}, {role: decode, tp: 2, dp: 2, pp: 2}]
)")});
    REQUIRE(run.results.status == RunStatus::Done);
    REQUIRE(run.requests.size() == 40);
    double received = 0;
    for (uint32_t rank = 0; rank < 8; ++rank) // of prefill: they send keys and values only
    {
        for (const CommunicationTotal& total : run.results.ranks[rank].communication)
        {
            received += total.kind.collective ? 0 : double(total.size.Count());
        }
    }
    double expected = 0;
    for (const auto& [id, request] : run.requests)
    {
        expected += double(request.input) * 4 * 2 * 1024 * 2;
    }
    CHECK(received == expected);
}

TEST_CASE("Serving: stages of a pipeline work on several batches at a time", "[component][serving]")
{
    const std::string serve = R"(
    requests: {arrivals: closed, users: 8, count: 64, input: 64, output: 16}
    batching: {max-requests: 4, max-tokens: 64}
    instances: [{pp: 4}]
)";
    const ServedRun run = ServeYaml({WithServe(serve)});
    REQUIRE(run.results.status == RunStatus::Done);
    CHECK(run.results.serving->requests == 64);
    CHECK(run.results.serving->tokensOut == 64 * 16);
    // With one request at a time nothing overlaps: three of four stages stand still.
    const ServedRun alone = ServeYaml({WithServe(serve), {"workload.serve.requests.users=1"}});
    CHECK(run.results.finish.Ns() < alone.results.finish.Ns() / 2);
}

TEST_CASE("Serving: some layers stand for all", "[component][serving]")
{
    const std::string serve = R"(
    requests: {rate: 200 /s, count: 60, input: 300, output: {distribution: exponential, mean: 20}}
    instances: [{tp: 2, pp: 2}, {tp: 4}]
)";
    const ServedRun all = ServeYaml({WithServe(serve)});
    const ServedRun one = ServeYaml({WithServe(serve), {"workload.serve.layers=1"}});
    REQUIRE(one.requests.size() == 60);
    CHECK(one.results.finish.Ns() == Approx(all.results.finish.Ns()).epsilon(0.01));
    CHECK(one.results.serving->ttft.Mean().Ns() ==
          Approx(all.results.serving->ttft.Mean().Ns()).epsilon(0.05));
    CHECK(one.results.serving->tpot.Mean().Ns() ==
          Approx(all.results.serving->tpot.Mean().Ns()).epsilon(0.05));
}

TEST_CASE("Serving: a request that no instance can hold is an error", "[component][serving]")
{
    const YamlRun run{WithServe(R"(
    requests: {rate: 100 /s, count: 3, input: 5000, output: 2}
    batching: {kv-memory: 4 MB}
    instances: [{tp: 1}]
)")};
    CHECK_THROWS_WITH(ServeYaml(run),
                      Catch::Contains("request 0 of 5000 + 2 tokens needs more KV blocks than a "
                                      "replica of both0 has"));
}

TEST_CASE("Serving: an instance that computes prompts needs no room for answers",
          "[component][serving]")
{
    // A token takes 16 KiB: 9 blocks of 16 tokens on the one rank of prefill, and 36 on the four of
    // decode, each of which has a quarter of it.
    const auto serve = [](const std::string& output)
    {
        return ServeYaml({WithServe(R"(
    requests: {rate: 100 /s, count: 3, input: 144, output: )" +
                                    output + R"(}
    batching: {kv-memory: 2.4 MB}
    instances: [{role: prefill, tp: 1}, {role: decode, tp: 4}]
)")});
    };
    CHECK(serve("433").requests.size() == 3); // of 144 + 432 tokens there are keys and values
    CHECK_THROWS_WITH(serve("434"), Catch::Contains("than a replica of decode1 has (36 blocks"));
}

namespace
{

/// 12 prompts of 64 tokens in one pass through 32 layers, on one rank of attention and one of
/// experts.
ServedRun
ServeApart(const std::string& rate,
           int microBatches,
           const std::string& layers,
           const std::string& vocabulary = "0")
{
    std::string yaml = R"(
network:
  backend: packet
  dimensions: [{shape: switch, size: 2, bandwidth: RATE, latency: 1 ns}]
  packet: {header: 0 B}
system:
  compute: {model: roofline, peak: 100 TFLOP/s, memory-bandwidth: 1000 TB/s}
  endpoint-delay: 0 ns
workload:
  serve:
    model: {layers: 32, hidden: 1024, heads: 8, experts: 4, top-k: 1, expert-ffn: 3072, vocabulary: 0}
    requests: {arrivals: closed, users: 12, count: 12, input: 64, output: 1}
    batching: {max-tokens: 768}
    instances:
      - {role: attention, name: a, micro-batches: MICRO}
      - {role: ffn, pair: a, ep: 1}
)";
    yaml.replace(yaml.find("RATE"), 4, rate);
    yaml.replace(yaml.find("MICRO"), 5, std::to_string(microBatches));
    return ServeYaml(
        {yaml,
         {"workload.serve.layers=" + layers, "workload.serve.model.vocabulary=" + vocabulary}});
}

} // namespace

TEST_CASE("Serving: attention and experts apart take the time of their longest stage",
          "[component][serving]")
{
    // One rank each, 32 layers. The stages of a micro-batch: attention, to the experts, experts,
    // and back. With m micro-batches, stage times s and S their sum, L layers take
    // max(L m s_max + S - s_max, L S + (m - 1) s_max).
    const double layers = 32;
    for (const auto& [rate, rateNs] : {std::pair("400 GB/s", 400.0), {"100 GB/s", 100.0}})
    {
        for (const int micro : {1, 2, 3, 4, 6, 12})
        {
            CAPTURE(rate, micro);
            const ServedRun run = ServeApart(rate, micro, "all");
            REQUIRE(run.results.status == RunStatus::Done);
            REQUIRE(run.requests.size() == 12);
            const double tokens = 768.0 / micro;
            const double h = 1024;
            const double sequences = 12.0 / micro;
            const double flopsPerNs = 1e5;
            // projections 4 h^2, the core 4 h for each pair, the router
            const double attention =
                (8 * tokens * h * h + 4 * h * sequences * 64 * 65 / 2 + 2 * tokens * h * 4) /
                flopsPerNs;
            const double experts = 2 * tokens * 2 * h * 3072 / flopsPerNs;
            const double wire = tokens * h * 2 / rateNs + 2; // two links of 1 ns
            const std::vector<double> stages{attention, wire, experts, wire};
            const double longest = *std::max_element(stages.begin(), stages.end());
            const double sum = attention + experts + 2 * wire;
            const double expected = std::max(layers * micro * longest + sum - longest,
                                             layers * sum + (micro - 1) * longest);
            CHECK(run.results.finish.Ns() == Approx(expected).epsilon(0.01));
            // The experts take part in the pass of 768 tokens.
            const std::vector<InstanceTotals>& totals = run.results.serving->instances;
            REQUIRE(totals.size() == 2);
            CHECK(totals[1].name == "ffn1");
            CHECK(totals[1].iterations == 1);
            CHECK(totals[1].tokens == 768);
            CHECK(totals[1].busy == run.results.finish);
        }
    }
}

TEST_CASE("Serving: a layer that is left out of attention apart takes what a further one adds",
          "[component][serving]")
{
    // While the last micro-batch is in a layer, the first one is in the next. So the first layer
    // takes longer than each further one adds, and a few of them no equal parts of all. The head
    // of a micro-batch, too, is computed while others are in the last layer.
    const std::string vocabulary = GENERATE("0", "200000");
    CAPTURE(vocabulary);
    for (const std::string rate : {"400 GB/s", "100 GB/s"})
    {
        for (const int micro : {1, 2, 3, 6})
        {
            CAPTURE(rate, micro);
            const double all = ServeApart(rate, micro, "all", vocabulary).results.finish.Ns();
            for (const std::string layers : {"2", "3", "8", "32"})
            {
                CAPTURE(layers);
                CHECK(ServeApart(rate, micro, layers, vocabulary).results.finish.Ns() ==
                      Approx(all).epsilon(1e-3));
            }
        }
    }
}

namespace
{

/// 16 ranks share 32 experts; one pass of 128 tokens a rank over one layer.
ServedRun
ServeExperts(const std::string& routing, const std::string& backend)
{
    const std::string serve = R"(
    model: {layers: 1, hidden: 2048, heads: 8, experts: 32, top-k: 4, expert-ffn: 64, vocabulary: 0}
    requests: {arrivals: closed, users: 16, count: 16, input: 128, output: 1}
    router: round-robin
    experts: )" + routing + R"(
    instances: [{dp: 16, ep: 16}]
)";
    std::string yaml = SMALL_CLUSTER.substr(0, SMALL_CLUSTER.find("    model:")) + serve;
    return ServeYaml({yaml, {"network.backend=" + backend}});
}

} // namespace

TEST_CASE("Serving: tokens that go to experts are conserved, and hot experts hold their layer up",
          "[component][serving]")
{
    for (const std::string backend : {"packet", "flow", "analytical"})
    {
        CAPTURE(backend);
        const ServedRun even = ServeExperts("{routing: balanced}", backend);
        const ServedRun drawn = ServeExperts("{routing: uniform}", backend);
        const ServedRun hot = ServeExperts("{routing: {zipf: 1.0}}", backend);
        for (const ServedRun* run : {&even, &drawn, &hot})
        {
            REQUIRE(run->results.status == RunStatus::Done);
            uint64_t tokens = 0;
            for (const ExpertTokens& row : run->results.serving->experts.ByRank())
            {
                tokens += row.tokens;
            }
            CHECK(tokens == 16 * 128 * 4);
        }
        const auto skewOf = [](const ServedRun& run)
        { return run.results.serving->experts.SkewOfRanks().largestOverMean; };
        CHECK(skewOf(even) == 1);
        CHECK(skewOf(drawn) < 1.3); // 512 tokens a rank scatter by 4 % or so
        CHECK(skewOf(hot) > 2);
        // The exchange follows the fullest rank, not the mean, which is the same in all three.
        CHECK(even.results.finish < drawn.results.finish);
        CHECK(hot.results.finish.Ns() > 1.5 * drawn.results.finish.Ns());
    }
}

TEST_CASE("Serving: a generated pass takes as long as the same request served alone",
          "[component][serving]")
{
    const std::string system = R"(
network:
  backend: packet
  dimensions: [{shape: switch, size: 4, bandwidth: 50 GB/s, latency: 500 ns}]
system:
  compute: {model: roofline, peak: 100 TFLOP/s, memory-bandwidth: 1 TB/s}
)";
    const std::string shape = "layers: 3, hidden: 512, heads: 8, kv-heads: 4, vocabulary: 999";
    const auto pass = [&](const std::string& phase)
    {
        return RunYaml({system + "workload: {generate: {model: transformer, " + shape +
                        ", sequence: 200, batch: 1, tp: 4, dp: 1, " + phase + "}}"})
            .finish;
    };
    const ServedRun served = ServeYaml({system + "workload: {serve: {model: {" + shape +
                                        "}, requests: {arrivals: closed, users: 1, count: 1, "
                                        "input: 200, output: 3}, instances: [{tp: 4}]}}"});
    const RequestRecord& request = served.requests.at(0);
    const SimTime prefill = pass("phase: prefill");
    CHECK(request.Ttft() == prefill);
    CHECK(request.end - request.firstToken ==
          pass("phase: decode, context: 200") + pass("phase: decode, context: 201"));
}

TEST_CASE("Serving: a generated pass goes through the stages of a pipeline", "[component][serving]")
{
    const auto pass = [](const std::string& degrees)
    {
        return RunYaml({R"(
network:
  backend: analytical
  dimensions: [{shape: switch, size: 4, bandwidth: 50 GB/s, latency: 500 ns}]
system:
  compute: {model: roofline, peak: 100 TFLOP/s, memory-bandwidth: 1 TB/s}
  endpoint-delay: 0 ns
workload:
  generate: {model: transformer, phase: prefill, layers: 4, hidden: 512, heads: 8, sequence: 256, batch: 2, )" +
                        degrees + "}"})
            .finish.Ns();
    };
    // Two messages of 2 x 256 x 512 x 2 B between three stages, and no overlap.
    const double whole = pass("dp: 1");
    const double message = 2 * 256 * 512 * 2 / 50.0 + 1000;
    CHECK(pass("dp: 1, pp: 3") == Approx(whole + 2 * message).epsilon(0.03));
    CHECK(pass("dp: 2") < whole);
}

TEST_CASE("Serving: instances stand on the NPUs that they name", "[component][serving]")
{
    const std::string requests = "    requests: {rate: 500 /s, count: 40, input: 256, output: 4}\n";
    const std::string network = R"(
network:
  backend: packet
  dimensions: [{shape: ring, size: 8, bandwidth: 10 GB/s, latency: 500 ns}]
)";
    const auto serve = [&](const std::string& instances, const std::string& further)
    {
        const std::string rest = SMALL_CLUSTER.substr(SMALL_CLUSTER.find("system:"));
        return ServeYaml(
                   {network + rest + requests + "    instances: " + instances + "\n" + further})
            .results;
    };
    const RunResults named =
        serve("[{tp: 2}, {tp: 2, npus: [2, 5]}, {count: 2, npus: [0, 7]}]", "");
    const RunResults placed =
        serve("[{tp: 2}, {tp: 2}, {count: 2}]", "  placement: [1, 3, 2, 5, 0, 7]\n");
    const RunResults linear = serve("[{tp: 2}, {tp: 2}, {count: 2}]", "");
    CHECK(named.digest == placed.digest);
    CHECK(named.digest != linear.digest);
    CHECK(named.ranks.at(3).npu == 5);
    CHECK_THROWS_WITH(serve("[{npus: [1]}]", "  placement: [1]\n"),
                      Catch::EndsWith("instances name their NPUs; remove workload.placement, or "
                                      "npus"));
}

TEST_CASE("Serving: ends of one instant have one order, whatever runs first",
          "[component][serving]")
{
    // Six equal instances begin together, so that their prompts end together. Who asks next gets
    // the next request, of another length: the order of these ends decides who computes what.
    const auto finish = [](uint64_t scrambleSeed)
    {
        return ServeYaml({.yaml = WithServe(R"(
    requests: {arrivals: closed, users: 6, count: 60, input: 256, output: {distribution: uniform, min: 1, max: 9}}
    instances: [{count: 6}]
    router: least-loaded
)"),
                          .scrambleSeed = scrambleSeed});
    };
    const ServedRun inOrder = finish(0);
    for (uint64_t seed = 1; seed <= 8; ++seed)
    {
        const ServedRun scrambled = finish(seed);
        CHECK(scrambled.results.digest == inOrder.results.digest);
        for (const auto& [id, request] : inOrder.requests)
        {
            CHECK(scrambled.requests.at(id).instance == request.instance);
            CHECK(scrambled.requests.at(id).end == request.end);
        }
    }
}

namespace
{

/// Two requests on one rank that has no room for both to the end: the second one is swapped.
/// Keys and values of a token take 4 layers x 2 x 1024 x 2 B = 16 KiB; blocks are of 16 tokens.
ServedRun
ServeSwapped(const std::string& network, const std::string& memory, const std::string& preemption)
{
    const std::string model = SMALL_CLUSTER.substr(SMALL_CLUSTER.find("workload:"));
    return ServeYaml({network + R"(
system:
  compute: {model: roofline, peak: 100 TFLOP/s, memory-bandwidth: 1 TB/s}
  endpoint-delay: 0 ns
)" + memory + model +
                      R"(
    requests: {arrivals: closed, users: 2, count: 2, input: 160, output: 100}
    instances: [{tp: 1}]
    batching: {kv-memory: 6291456 B, preemption: )" +
                      preemption + "}\n"});
}

constexpr uint64_t BLOCK_BYTES = 16 * 4 * 2 * 1024 * 2;

} // namespace

TEST_CASE("Serving: a swap takes the time of its store and its load", "[component][serving]")
{
    const std::string network = "network: {backend: analytical, dimensions: [{shape: switch, size: "
                                "2, bandwidth: 50 GB/s, latency: 500 ns}]}";
    const auto serve = [&](const std::string& latency, const std::string& bandwidth)
    {
        return ServeSwapped(network,
                            "  memory: {remote: {latency: " + latency +
                                ", bandwidth: " + bandwidth + "}}\n",
                            "swap");
    };
    const ServedRun run = serve("1 us", "100 GB/s");
    REQUIRE(run.results.status == RunStatus::Done);
    // 24 blocks: both prompts and 32 tokens of each answer fit. For the next token of 0, 1 leaves
    // with its 12 blocks.
    CHECK(run.results.serving->swaps == 1);
    CHECK(run.results.serving->swappedBytes == 12 * BLOCK_BYTES);
    CHECK(run.requests.at(0).preemptions == 0);
    CHECK(run.requests.at(1).preemptions == 1);
    // The first request waits for the store, the second for the load too.
    const ServedRun later = serve("5 us", "100 GB/s");
    const SimTime us = SimTime::FromUs(1);
    CHECK(later.requests.at(0).end - run.requests.at(0).end == us * 4);
    CHECK(later.requests.at(1).end - run.requests.at(1).end == us * 8);
    const ServedRun slower = serve("1 us", "50 GB/s");
    const auto bytes = double(12 * BLOCK_BYTES);
    CHECK((slower.requests.at(0).end - run.requests.at(0).end).Ns() ==
          Approx(bytes / 50 - bytes / 100).epsilon(1e-6));
    CHECK((slower.requests.at(1).end - run.requests.at(1).end).Ns() ==
          Approx(2 * (bytes / 50 - bytes / 100)).epsilon(1e-6));
}

TEST_CASE("Serving: swapped keys and values go to memories of the network and come back whole",
          "[component][serving]")
{
    for (const std::string backend : {"packet", "flow", "analytical"})
    {
        INFO(backend);
        const std::string network =
            "network: {backend: " + backend +
            ", memories: [{name: pool, count: 1, attach: dim0.switch0, link: {bandwidth: 50 GB/s, "
            "latency: 500 ns}, bandwidth: 100 GB/s, latency: 200 ns}], dimensions: [{shape: "
            "switch, "
            "size: 2, bandwidth: 50 GB/s, latency: 500 ns}]}";
        const std::string memory = "  memory: {remote: {through: network}}\n";
        const ServedRun run = ServeSwapped(network, memory, "swap");
        REQUIRE(run.results.status == RunStatus::Done);
        REQUIRE(run.results.memory.has_value());
        CHECK(run.results.serving->swaps == 1);
        CHECK(run.results.memory->stores == 1);
        CHECK(run.results.memory->loads == 1);
        CHECK(run.results.memory->bytes == Bytes(12 * BLOCK_BYTES)); // which came back
        const ServedRun recomputed = ServeSwapped(network, memory, "recompute");
        CHECK(recomputed.results.serving->swaps == 0);
        CHECK(recomputed.results.memory->stores == 0);
    }
}
