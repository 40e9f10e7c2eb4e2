// SPDX-License-Identifier: GPL-2.0-only
// Which collectives the packet network answers as a whole, so that their messages are never sent.
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace nadi;
using namespace std::string_literals;

namespace
{

constexpr uint64_t RING_SIZE = 4;
constexpr uint64_t REPETITIONS = 5;
constexpr uint64_t RING_CHUNKS = 4;

/// Of a ring all-reduce: in each of 2 (p - 1) steps every rank sends one.
constexpr uint64_t RING_MESSAGES = RING_CHUNKS * 2 * (RING_SIZE - 1) * RING_SIZE;

/// The same collective `REPETITIONS` times, one after the other, on a network of four ranks, which
/// is at rest between them: a message is used long after its acknowledgement has arrived.
RunResults
RunRepeated(const std::string& collective,
            const std::vector<std::string>& settings = {},
            const std::string& network = "dimensions: [{shape: switch, size: 4, bandwidth: "
                                         "100 Gb/s, latency: 500 ns}]")
{
    std::string list;
    for (uint64_t round = 0; round < REPETITIONS; ++round)
    {
        list += (round > 0 ? ", {" : "{") + collective + "}";
    }
    return RunYaml({.yaml = "workload: {collective: [" + list +
                            "]}\n"
                            "system: {endpoint-delay: 10 us, chunks: " +
                            std::to_string(RING_CHUNKS) +
                            ", collectives: {all-reduce: ring, broadcast: ring, all-to-all: "
                            "direct}}\nnetwork: {" +
                            network + "}\n",
                    .settings = settings});
}

const std::string RING_ALL_REDUCE = "type: all-reduce, size: 64 KiB";

} // namespace

TEST_CASE("Memo: a collective that comes again is never sent", "[component][packet][memo]")
{
    const RunResults with = RunRepeated(RING_ALL_REDUCE);
    CHECK(with.totals.memoMessages == REPETITIONS * RING_MESSAGES);
    CHECK(with.totals.memoAnswered == (REPETITIONS - 1) * RING_MESSAGES);
    CHECK(with.totals.memoSkipped == (REPETITIONS - 1) * RING_MESSAGES);
    const RunResults without = RunRepeated(RING_ALL_REDUCE, {"network.packet.memo=off"});
    CHECK(with.digest == without.digest);
    CHECK(with.totals.packetHops == without.totals.packetHops);
    for (uint32_t rank = 0; rank < RING_SIZE; ++rank)
    {
        CHECK(with.ranks[rank].sent == without.ranks[rank].sent);
    }
}

TEST_CASE("Memo: a collective on a lossless ring with two data priorities is answered too",
          "[component][packet][memo]")
{
    constexpr uint64_t SIZE = 8; // from 5 on, frames that crossed the dateline have the second one
    const std::string ring =
        "dimensions: [{shape: ring, size: 8, bandwidth: 100 Gb/s, latency: 500 ns}]";
    for (const std::string& collective : {RING_ALL_REDUCE, "type: all-to-all, size: 64 KiB"s})
    {
        const auto run = [&](const std::string& memo)
        {
            return RunRepeated(collective,
                               {"network.packet.buffer=16 MB",
                                "network.packet.pfc=on",
                                "network.packet.memo=" + memo},
                               ring);
        };
        const RunResults with = run("on");
        CAPTURE(collective);
        CHECK(with.totals.memoMessages >= REPETITIONS * RING_CHUNKS * SIZE * (SIZE - 1));
        CHECK(with.totals.memoAnswered ==
              with.totals.memoMessages / REPETITIONS * (REPETITIONS - 1));
        CHECK(with.digest == run("off").digest);
    }
}

TEST_CASE("Memo: flows have the messages that were never sent", "[component][packet][memo]")
{
    const RunResults with = RunRepeated(RING_ALL_REDUCE, {"output.flows=on"});
    const RunResults without =
        RunRepeated(RING_ALL_REDUCE, {"output.flows=on", "network.packet.memo=off"});
    CHECK(with.totals.memoSkipped == (REPETITIONS - 1) * RING_MESSAGES);
    REQUIRE(with.flows->size() == REPETITIONS * RING_MESSAGES);
    REQUIRE(without.flows->size() == REPETITIONS * RING_MESSAGES);
    for (size_t i = 0; i < with.flows->size(); ++i)
    {
        CHECK(with.flows->at(i).sent == without.flows->at(i).sent);
        CHECK(with.flows->at(i).delivered == without.flows->at(i).delivered);
        CHECK(with.flows->at(i).source == without.flows->at(i).source);
    }
}

TEST_CASE("Memo: a collective with a rank that only sends is never sent again, either",
          "[component][packet][memo]")
{
    const std::string broadcast = "type: broadcast, size: 1 MiB";
    const RunResults with = RunRepeated(broadcast);
    const RunResults without = RunRepeated(broadcast, {"network.packet.memo=off"});
    CHECK(with.totals.memoSkipped * REPETITIONS == with.totals.memoMessages * (REPETITIONS - 1));
    CHECK(with.digest == without.digest);
    for (uint32_t rank = 0; rank < RING_SIZE; ++rank)
    {
        CHECK(with.ranks[rank].metrics.finish == without.ranks[rank].metrics.finish);
        CHECK(with.ranks[rank].metrics.exposedCommunication ==
              without.ranks[rank].metrics.exposedCommunication);
    }
}

TEST_CASE("Memo: where messages are looked at, all are sent", "[component][packet][memo]")
{
    const RunResults run = RunRepeated(RING_ALL_REDUCE, {"output.timeline=on"});
    CHECK(run.totals.memoMessages == REPETITIONS * RING_MESSAGES);
    CHECK(run.totals.memoSkipped == 0);
}

TEST_CASE("Memo: the messages of collectives that gain nothing are sent",
          "[component][packet][memo]")
{
    SECTION("one message for each pair of ranks")
    {
        const RunResults run = RunRepeated("type: all-to-all, size: 64 KiB", {"system.chunks=1"});
        CHECK(run.totals.memoAnswered == (REPETITIONS - 1) * RING_SIZE * (RING_SIZE - 1));
        CHECK(run.totals.memoSkipped == 0);
    }
    SECTION("links of a ring, which share nothing")
    {
        const RunResults run = RunRepeated(
            RING_ALL_REDUCE,
            {},
            "dimensions: [{shape: ring, size: 4, bandwidth: 100 Gb/s, latency: 500 ns}]");
        CHECK(run.totals.memoMessages == REPETITIONS * RING_MESSAGES);
        CHECK(run.totals.memoAnswered > 0);
        CHECK(run.totals.memoSkipped == 0);
    }
    SECTION("a library whose messages wait for each other")
    {
        const RunResults run = RunYaml({.yaml = R"(
workload: {collective: [{type: all-reduce, size: 1 MiB}, {type: all-reduce, size: 1 MiB}]}
system: {library: nccl}
network:
  topology: {generator: rail, nodes: 1, npus-per-node: 4, spines: 0,
             nvlink: {bandwidth: 450 GB/s, latency: 100 ns},
             nic: {bandwidth: 400 Gb/s, latency: 500 ns}}
)"});
        CHECK(run.totals.memoMessages > 0);
        CHECK(run.totals.memoSkipped == 0);
    }
}
