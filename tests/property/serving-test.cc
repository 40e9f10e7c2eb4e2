// SPDX-License-Identifier: GPL-2.0-only
// Every request gets its answer, whatever the cluster, and nothing depends on the order of
// execution.
#include "tests/support/case-count.h"
#include "tests/support/draws.h"
#include "tests/support/serve-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr CaseCount ONE_INSTANCE_CASES{8, 100, 2000};
constexpr CaseCount EIGHT_INSTANCES_CASES{2, 40, 2000};
constexpr uint32_t SERVED_REQUESTS = 12;

/// Half of the cases of one instance are crowded, and tell what is done where memory is full: all
/// of their requests fit into the smallest memory when they begin, and most outgrow it. Empty: not
/// so.
std::string
PreemptionWhereCrowded(uint64_t seed)
{
    const uint64_t turn = seed % 4;
    return turn == 0 ? "swap" : turn == 2 ? "recompute" : "";
}

/// 4 layers; keys and values of a token take 1 kB at most on a rank with all layers and heads.
std::string
DrawServedModel(Draws& draws, bool hasExperts)
{
    return fmt::format(
        "{{layers: 4, hidden: 64, heads: 4, kv-heads: {}, head-size: 16, vocabulary: 100{}}}",
        draws.Pick({"2", "4"}),
        hasExperts ? ", experts: 8, top-k: 2, expert-ffn: 32, dense-layers: 1" : "");
}

std::string
DrawLength(Draws& draws, uint64_t most)
{
    return draws.Below(3) == 0
               ? std::to_string(draws.Below(most) + 1)
               : fmt::format("{{distribution: uniform, min: 1, max: {}}}", draws.Below(most) + 1);
}

/// Prompts of 200 tokens at most; answers of 130, which outgrow a small memory.
std::string
DrawServedRequests(Draws& draws, bool isCrowded)
{
    const std::string arrivals = draws.Pick({"poisson, rate: 20000 /s",
                                             "poisson, rate: 50000 /s",
                                             "gamma, cv: 3, rate: 5000 /s",
                                             "constant, rate: 3000 /s",
                                             "closed, users: 5",
                                             "closed, users: 12, think: 30 us"});
    return fmt::format("{{arrivals: {}, count: {}, input: {}, output: {}, prefix: {{tokens: {}, "
                       "groups: 2}}}}",
                       arrivals,
                       SERVED_REQUESTS,
                       isCrowded ? "20" : DrawLength(draws, 200),
                       isCrowded ? "130" : DrawLength(draws, 130),
                       draws.Below(80));
}

/// The least of the memories holds one of the longest requests, 330 tokens, and no more.
std::string
DrawBatching(Draws& draws, const std::string& preemption)
{
    const bool isCrowded = !preemption.empty();
    return fmt::format("{{max-tokens: {}, max-requests: {}, block: {}, prefix-cache: {}, "
                       "chunked-prefill: {}, kv-memory: {} B, preemption: {}}}",
                       draws.Pick({"16", "64", "2048"}),
                       isCrowded ? "64" : draws.Pick({"1", "64", "64"}),
                       draws.Pick({"1", "8", "16"}),
                       draws.Pick({"on", "off"}),
                       draws.Pick({"on", "off"}),
                       isCrowded ? "344064" : draws.Pick({"344064", "500000", "3000000"}),
                       isCrowded ? preemption : draws.Pick({"recompute", "swap"}));
}

/// Degrees of one instance, of 4 ranks at most.
std::string
DrawDegrees(Draws& draws, bool hasExperts)
{
    std::vector<std::string> degrees{
        "tp: 1", "tp: 2", "tp: 4", "pp: 2", "dp: 2", "tp: 2, pp: 2", "tp: 2, dp: 2", "pp: 4"};
    if (hasExperts)
    {
        degrees.insert(degrees.end(), {"dp: 4, ep: 4", "tp: 2, ep: 2", "tp: 2, dp: 2, ep: 4"});
    }
    return draws.Pick(degrees);
}

std::string
DrawInstances(Draws& draws, bool hasExperts, uint32_t instances)
{
    const std::string degrees = DrawDegrees(draws, hasExperts);
    if (instances == 1)
    {
        // Half of them on one rank, whose memory is soon full.
        return fmt::format("[{{{}}}]", draws.Below(2) == 0 ? "tp: 1" : degrees);
    }
    if (draws.Below(4) == 0)
    {
        return fmt::format("[{{count: {}, {}}}]", instances, degrees);
    }
    const std::string others = DrawDegrees(draws, hasExperts);
    if (hasExperts && draws.Below(2) == 0)
    {
        return fmt::format("[{{role: attention, name: a, phase: prefill, dp: 2, micro-batches: "
                           "{}}}, {{role: ffn, pair: a, ep: {}}}, {{role: decode, count: {}, {}}}]",
                           draws.Below(3) + 1,
                           draws.Pick({"1", "2", "4"}),
                           instances - 2,
                           others);
    }
    const uint64_t prefills = draws.Below(instances - 1) + 1;
    return fmt::format("[{{role: prefill, count: {}, {}}}, {{role: decode, count: {}, {}}}]",
                       prefills,
                       degrees,
                       instances - prefills,
                       others);
}

/// Whether experts lie on several ranks of an instance that DrawInstances made, and not apart.
bool
HasRoutedTokens(const std::string& instances)
{
    return instances.find("2, ep: ") != std::string::npos ||
           instances.find("4, ep: ") != std::string::npos;
}

/// Attention apart takes two layers in full or all, and no more than a stage has, of pp: 4 one.
std::string
DrawLayers(Draws& draws, const std::string& instances)
{
    const std::string drawn = draws.Pick({"all", "1"});
    const bool isApart = instances.find("ffn") != std::string::npos;
    const std::string fewest = instances.find("pp: 4") == std::string::npos ? "2" : "all";
    return drawn == "1" && isApart ? fewest : drawn;
}

/// A cluster of so many instances, on a network that holds them all.
std::string
DrawServing(uint64_t seed, uint32_t instances)
{
    Draws draws(seed * 2 + (instances == 1 ? 0 : 1));
    const bool hasExperts = draws.Below(2) == 0;
    const std::string preemption = instances == 1 ? PreemptionWhereCrowded(seed) : "";
    const bool isCrowded = !preemption.empty();
    const std::string dealt = isCrowded ? "[{tp: 1}]" : DrawInstances(draws, hasExperts, instances);
    const std::string moved = fmt::format("    kv-transfer: {{when: {}, mode: {}}}\n",
                                          draws.Pick({"layer", "end"}),
                                          draws.Pick({"push", "pull"}));
    const std::string routed =
        fmt::format("    experts: {{routing: {}}}\n",
                    draws.Pick({"uniform", "balanced", "{zipf: 0.8}", "{dirichlet: 0.5}"}));
    return fmt::format(
        R"(
seed: {}
network:
  backend: {}
  dimensions: [{{shape: switch, size: 32, bandwidth: {} GB/s, latency: 500 ns}}]
system:
  compute: {{model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 100 GB/s}}
workload:
  serve:
    model: {}
    requests: {}
    batching: {}
    instances: {}
    router: {}
    layers: {}
{}{})",
        seed,
        draws.Pick({"analytical", "analytical", "flow", "packet"}),
        draws.Pick({"50", "1"}),
        DrawServedModel(draws, hasExperts),
        DrawServedRequests(draws, isCrowded),
        DrawBatching(draws, preemption),
        dealt,
        draws.Pick({"round-robin", "random", "least-loaded", "prefix"}),
        DrawLayers(draws, dealt),
        HasRoutedTokens(dealt) ? routed : "",
        dealt.find("prefill") == std::string::npos ? "" : moved);
}

void
CheckServed(const ServedRun& run)
{
    REQUIRE(run.results.status == RunStatus::Done);
    REQUIRE(run.requests.size() == SERVED_REQUESTS);
    uint64_t tokensIn = 0;
    uint64_t tokensOut = 0;
    for (const auto& [id, request] : run.requests)
    {
        tokensIn += request.input;
        tokensOut += request.output;
        CHECK(request.arrival <= request.start);
        CHECK(request.start < request.firstToken);
        CHECK(request.firstToken + request.transfer <= request.end);
        CHECK((request.output > 1 || request.end == request.firstToken));
    }
    const ServingTotals& totals = *run.results.serving;
    CHECK(totals.tokensIn == tokensIn);
    CHECK(totals.tokensOut == tokensOut);
    CHECK(totals.itl.Count() == tokensOut - SERVED_REQUESTS);
    REQUIRE(run.kvRooms.size() == totals.instances.size());
    for (size_t i = 0; i < run.kvRooms.size(); ++i)
    {
        CAPTURE(totals.instances[i].name);
        const bool isFfn = totals.instances[i].role == "ffn";
        CHECK((isFfn || totals.instances[i].kvPeakBytes <= run.kvRooms[i]));
    }
}

/// What happened in all cases together.
struct ServingCoverage
{
    uint64_t preemptions = 0;
    uint64_t transfers = 0;
    uint64_t swaps = 0;

    void Add(const ServedRun& run)
    {
        swaps += run.results.serving->swaps;
        for (const auto& [id, request] : run.requests)
        {
            preemptions += request.preemptions;
            transfers += request.transfer > SimTime() ? 1 : 0;
        }
    }
};

ServingCoverage
CheckServing(uint32_t instances, CaseCount cases)
{
    ServingCoverage coverage;
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + cases.Pick(); ++seed)
    {
        YamlRun run{DrawServing(seed, instances)};
        CAPTURE(seed, run.yaml);
        const ServedRun plain = ServeYaml(run);
        CheckServed(plain);
        coverage.Add(plain);
        run.scrambleSeed = seed + 1;
        const ServedRun scrambled = ServeYaml(run);
        CHECK(scrambled.results.digest == plain.results.digest);
        CHECK(scrambled.results.finish == plain.results.finish);
    }
    return coverage;
}

} // namespace

TEST_CASE("Serving: one instance answers every request, in any order of execution",
          "[property][serving]")
{
    const ServingCoverage coverage = CheckServing(1, ONE_INSTANCE_CASES);
    CHECK(coverage.swaps > 0);
    CHECK(coverage.preemptions > coverage.swaps);
}

TEST_CASE("Serving: eight instances answer every request, in any order of execution",
          "[property][serving]")
{
    CHECK(CheckServing(8, EIGHT_INSTANCES_CASES).transfers > 0);
}
