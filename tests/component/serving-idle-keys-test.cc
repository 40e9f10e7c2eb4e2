// SPDX-License-Identifier: GPL-2.0-only
// Keys that had no effect on a cluster that serves, judged by what ran.
#include "tests/support/serve-yaml.h"
#include "tests/support/small-cluster.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;

namespace
{

/// Experts on four ranks: all-to-alls run, and no other collectives.
const std::string FOUR_RANKS_OF_EXPERTS =
    SMALL_CLUSTER.substr(0, SMALL_CLUSTER.find("    model:")) + R"(
    model: {layers: 1, hidden: 256, heads: 8, experts: 4, top-k: 1, expert-ffn: 64, vocabulary: 100}
    requests: {arrivals: closed, users: 4, count: 4, input: 64, output: 3}
    instances: [{dp: 4, ep: 4}]
)";

const std::string FOUR_TENSOR_RANKS = WithServe(R"(
    requests: {arrivals: closed, users: 4, count: 4, input: 64, output: 3}
    instances: [{tp: 4}]
)");

} // namespace

TEST_CASE("Serving: choices for collectives that did not run are told", "[component][serving]")
{
    const std::string idle = "no all-reduce ran; system.collectives.all-reduce had no effect";
    const std::string chosen = "system.collectives.all-reduce=direct";
    CHECK(HasWarning(ServeYaml({FOUR_RANKS_OF_EXPERTS, {chosen}}), idle));
    CHECK(!HasWarning(ServeYaml({FOUR_TENSOR_RANKS, {chosen}}), idle));
    const std::string exchanged = "no all-to-all ran; system.collectives.all-to-all had no effect";
    const std::string exchange = "system.collectives.all-to-all={flat: direct}";
    CHECK(!HasWarning(ServeYaml({FOUR_RANKS_OF_EXPERTS, {exchange}}), exchanged));
    CHECK(HasWarning(ServeYaml({FOUR_TENSOR_RANKS, {exchange}}), exchanged));
}

TEST_CASE("Serving: keys of collectives that changed nothing are told", "[component][serving]")
{
    const std::string slots = "system.concurrent-collectives=4";
    CHECK(HasWarning(ServeYaml({FOUR_TENSOR_RANKS, {slots}}),
                     "no collective waited for a slot; concurrent-collectives 4 had no effect"));
    CHECK(HasWarning(
        ServeYaml({FOUR_TENSOR_RANKS, {slots, "workload.serve.instances=[{tp: 1}]"}}),
        "no collective ran; these keys of system had no effect: concurrent-collectives"));
    // Nothing is chosen.
    CHECK(ServeYaml({FOUR_TENSOR_RANKS}).results.warnings.empty());
}

TEST_CASE("Serving: memory that no pass accesses, and swaps that did not come, are told",
          "[component][serving]")
{
    const std::string remote = "no rank accessed remote memory; system.memory.remote had no effect";
    const std::string local = "no rank accessed local memory; system.memory.local had no effect";
    const std::string noSwap = "workload.serve.batching.preemption: swap had no effect: no request "
                               "had to leave";
    const std::string ofRemote = "system.memory.remote.bandwidth=50 GB/s";
    const std::string swap = "workload.serve.batching.preemption=swap";
    const ServedRun roomy =
        ServeYaml({FOUR_TENSOR_RANKS, {ofRemote, swap, "system.memory.local.latency=5 us"}});
    REQUIRE(roomy.results.serving->swaps == 0);
    CHECK(HasWarning(roomy,
                     "no rank accessed memory; these keys of system had no effect: "
                     "memory.local, memory.remote"));
    CHECK(HasWarning(roomy, noSwap));
    CHECK(HasWarning(ServeYaml({FOUR_TENSOR_RANKS, {ofRemote}}), remote));
    // 4 requests of 5 blocks each with their answers, and room for 17.
    const ServedRun tight = ServeYaml({FOUR_TENSOR_RANKS,
                                       {ofRemote,
                                        swap,
                                        "workload.serve.requests.output=16",
                                        "workload.serve.batching.kv-memory=1.2 MB"}});
    REQUIRE(tight.results.serving->swaps > 0);
    CHECK(!HasWarning(tight, remote));
    CHECK(!HasWarning(tight, noSwap));
    // Room for one request: the others wait, and nobody has to leave.
    const ServedRun queued = ServeYaml(
        {FOUR_TENSOR_RANKS, {ofRemote, swap, "workload.serve.batching.kv-memory=0.4 MB"}});
    REQUIRE(queued.results.serving->swaps == 0);
    REQUIRE(queued.requests.at(3).start >= queued.requests.at(2).end);
    CHECK(HasWarning(queued, noSwap));
    // A key that kernels have use for.
    CHECK(!HasWarning(ServeYaml({FOUR_TENSOR_RANKS, {"system.compute.scale=2"}}),
                      "no rank computed anything"));
}
