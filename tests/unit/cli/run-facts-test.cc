// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/run-summary.h"
#include "simulation/reading/run-reading.h"
#include "simulation/simulate.h"
#include "tests/support/contains.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/trace-bytes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A run with the facts and the whole summary.
struct FactsOfRun
{
    RunFacts facts;
    std::string reading;
    std::string summary;
};

FactsOfRun
RunAndRead(const std::string& yaml)
{
    const ScratchDirectory scratch("run-facts");
    const RunInput input(scratch.Write("c.yaml", yaml), {});
    const RunResults results = Simulate(input);
    REQUIRE(results.status == RunStatus::Done);
    const RunFacts facts = GatherFacts(input, results);
    return {facts, ReadFacts(facts), DescribeRun(input, results, 1, Style::Plain())};
}

/// Four NPUs on a switch, 1 B/ns; lines of `network` and below it.
std::string
Star(const std::string& network)
{
    return "network:\n"
           "  dimensions: [{shape: switch, size: 4, bandwidth: 1 GB/s, latency: 1 us}]\n" +
           network;
}

const std::string ALL_REDUCE = "workload: {collective: {type: all-reduce, size: 256 KiB}}\n";
/// Three senders into one port, which therefore queues.
const std::string INCAST =
    "workload: {flows: [{src: 1, dst: 0, size: 1 MB}, {src: 2, dst: 0, size: "
    "1 MB}, {src: 3, dst: 0, size: 1 MB}]}\n";

/// Three ranks, which fill no whole nodes of two.
const std::string UNFILLED_NODES =
    "network:\n"
    "  topology:\n"
    "    generator: rail\n"
    "    nodes: 2\n"
    "    npus-per-node: 2\n"
    "    spines: 1\n"
    "    nvlink: {bandwidth: 400 GB/s, latency: 100 ns}\n"
    "    nic: {bandwidth: 50 GB/s, latency: 500 ns}\n"
    "workload: {ranks: 3, collective: {type: all-reduce, size: 64 MiB}}\n";

} // namespace

TEST_CASE("GatherFacts: losses are disturbances, and the reading says so", "[unit][cli]")
{
    const FactsOfRun run =
        RunAndRead(Star("  faults: [{link: all, loss: 1e-1}]\n") + ALL_REDUCE + "seed: 3\n");
    CHECK(run.facts.hasFaults);
    REQUIRE(run.facts.disturbances.size() == 2);
    CHECK(Contains(run.facts.disturbances[0], "lost frame"));
    CHECK(Contains(run.facts.disturbances[1], "retransmission"));
    CHECK(Contains(run.reading, "network.faults=[]"));
    CHECK(!Contains(run.reading, "latency"));
}

TEST_CASE("GatherFacts: marks and pauses of an incast are disturbances", "[unit][cli]")
{
    const FactsOfRun marked =
        RunAndRead(Star("  packet: {congestion-control: dcqcn, ecn: {min: 20 KB, max: 80 KB, "
                        "probability: 1}}\n") +
                   INCAST);
    REQUIRE(marked.facts.disturbances.size() == 1);
    CHECK(Contains(marked.facts.disturbances[0], "ECN mark"));
    CHECK(Contains(marked.reading, "congested"));
    const FactsOfRun paused = RunAndRead(Star("  packet: {pfc: on, buffer: 500 KB}\n") + INCAST);
    REQUIRE(paused.facts.disturbances.size() == 1);
    CHECK(Contains(paused.facts.disturbances[0], "pause"));
}

TEST_CASE("GatherFacts: a fault without effect disturbs nothing", "[unit][cli]")
{
    const FactsOfRun run = RunAndRead(
        Star("  faults: [{at: 900 s, link: [npu0, dim0.switch0], state: down}]\n") + ALL_REDUCE);
    CHECK(!run.facts.hasFaults);
    CHECK(run.facts.disturbances.empty());
}

TEST_CASE("GatherFacts: what limits senders without a counter is known as unseen", "[unit][cli]")
{
    CHECK(RunAndRead(Star("  packet: {window: 8 KiB}\n") + ALL_REDUCE).facts.hasUnseenLimits);
    CHECK(RunAndRead(Star("  packet: {congestion-control: swift}\n") + ALL_REDUCE)
              .facts.hasUnseenLimits);
    CHECK(!RunAndRead(Star("") + ALL_REDUCE).facts.hasUnseenLimits);
}

TEST_CASE("GatherFacts: a port that sends all the time is used at least that much", "[unit][cli]")
{
    const FactsOfRun run = RunAndRead(
        Star("") + "workload: {flows: [{src: 0, dst: 1, size: 10 MB}]}\n"); // 10 ms and some us
    CHECK(run.facts.links.atLeast > 0.99);
    CHECK(run.facts.links.atLeast <= run.facts.links.atMost);
    CHECK(Contains(run.reading, "more bandwidth there"));
}

TEST_CASE("GatherFacts: bytes that others moved at other times are no use of the slowest rank's",
          "[unit][cli]")
{
    // Rank 3 sends a little at 100 ms; by then the others have long been done with 10 ms of work.
    const FactsOfRun run =
        RunAndRead(Star("") + "workload: {flows: [{src: 0, dst: 1, size: 10 MB}, {src: 3, dst: 2, "
                              "size: 1 KB, at: 100 ms}]}\n");
    CHECK(run.facts.links.atLeast < 0.7);
    CHECK(run.facts.links.atMost == 1);
    CHECK(!Contains(run.reading, "more bandwidth there"));
}

TEST_CASE("GatherFacts: what NPUs forward before the slowest rank begins is no use of its time",
          "[unit][cli]")
{
    // A ring of six, 100 Gb/s. NPU 0 sends to 2 by way of 1 until 2.6 ms. From 2.7 ms on NPU 5
    // sends to 0 and 1, and its own link is full: 35 MB in 2.8 ms. The link npu0 -> npu1 carries 20
    // MB meanwhile, four sevenths of that, and 32 MB before.
    const std::string ring =
        "  dimensions: [{shape: ring, size: 6, bandwidth: 100 Gb/s, latency: 500 ns}]\n"
        "workload:\n"
        "  flows:\n"
        "    - {src: 0, dst: 2, size: 32 MB}\n"
        "    - {src: 5, dst: 0, size: 15 MB, at: 2700 us}\n"
        "    - {src: 5, dst: 1, size: 20 MB, at: 2700 us}\n";
    for (const std::string backend : {"flow", "packet"})
    {
        CAPTURE(backend);
        const FactsOfRun run = RunAndRead("network:\n  backend: " + backend + "\n" + ring);
        CHECK(run.facts.links.busiest == "npu0 -> npu1");
        CHECK(run.facts.links.atLeast <= 4.01 / 7);
        CHECK(run.facts.links.atMost == 1);
        CHECK(run.reading == "Communication bounds this job.");
    }
}

TEST_CASE("GatherFacts: a link between switches may have carried its bytes at another time",
          "[unit][cli]")
{
    // Rank 0 sends 30 MB to rank 2, from 10 ms to 40 ms, over a link that is full meanwhile. The
    // link's counter does not say when: in the first 10 ms it could have carried 10 MB of them.
    const FactsOfRun run =
        RunAndRead("network:\n"
                   "  topology:\n"
                   "    generator: leaf-spine\n"
                   "    npus: 4\n"
                   "    npus-per-leaf: 2\n"
                   "    spines: 1\n"
                   "    link: {bandwidth: 8 GB/s, latency: 1 us}\n"
                   "    uplink: {bandwidth: 1 GB/s}\n"
                   "workload: {flows: [{src: 0, dst: 2, size: 30 MB, at: 10 ms}]}\n");
    CHECK(run.facts.links.atLeast == Approx(20. / 30).epsilon(0.01));
    CHECK(run.facts.links.atMost == Approx(1).epsilon(0.01));
    CHECK(!Contains(run.reading, "While it lasts"));
}

TEST_CASE("GatherFacts: a message that comes before the slowest rank asks for it is no use of its "
          "time",
          "[unit][cli]")
{
    // Rank 0 sends 10 MB in 10 ms. Rank 1 computes for 11.5 ms, and then receives what has come.
    // Last, six all-reduces of two latencies take it 12 ms, in which nearly nothing moves.
    const ScratchDirectory scratch("early-message");
    const auto write = [&](int64_t rank, std::vector<TraceNode> nodes)
    {
        for (uint64_t id = 10; id < 16; ++id)
        {
            nodes.push_back(AllReduce(id).Data(id == 10 ? 1 : id - 1));
        }
        if (rank == 1)
        {
            nodes.push_back(Kernel(20).Micros(1).Data(15)); // so it is the slowest
        }
        scratch.Write("e." + std::to_string(rank) + ".et", MakeTrace(nodes));
    };
    const auto message = [](ChakraProtoMsg::NodeType type, const char* peer, int64_t rank)
    {
        return TraceNode(1, type)
            .Cpu(false)
            .Int("comm_size", 10'000'000)
            .Int("comm_tag", 1)
            .Int(peer, rank);
    };
    write(0, {message(ChakraProtoMsg::COMM_SEND_NODE, "comm_dst", 1)});
    write(
        1,
        {Kernel(2).Micros(11'500), message(ChakraProtoMsg::COMM_RECV_NODE, "comm_src", 0).Data(2)});
    const FactsOfRun run = RunAndRead(
        "workload: {trace: \"" + (scratch.Path() / "e.{rank}.et").string() +
        "\"}\n"
        "system: {collectives: {all-reduce: direct}}\n"
        "network:\n"
        "  dimensions: [{shape: fully-connected, size: 2, bandwidth: 1 GB/s, latency: 1 ms}]\n");
    REQUIRE(run.facts.slowest == RankId{1});
    REQUIRE(run.facts.metrics.communication > SimTime::FromUs(12'000)); // so the 10 ms would fit
    CHECK(run.facts.links.atLeast < 0.1);
}

TEST_CASE("GatherFacts: nodes of a flat stack are seen", "[unit][cli]")
{
    const std::string rail = "network:\n"
                             "  topology:\n"
                             "    generator: rail\n"
                             "    nodes: 2\n"
                             "    npus-per-node: 2\n"
                             "    spines: 1\n"
                             "    nvlink: {bandwidth: 400 GB/s, latency: 100 ns}\n"
                             "    nic: {bandwidth: 50 GB/s, latency: 500 ns}\n" +
                             ALL_REDUCE;
    CHECK(RunAndRead(rail + "system: {dimensions: [4]}\n").facts.isFlatOverNodes);
    CHECK(!RunAndRead(rail + "system: {dimensions: [2, 2]}\n").facts.isFlatOverNodes);
    CHECK(!RunAndRead(Star("") + ALL_REDUCE).facts.isFlatOverNodes);
    // As many bytes cross the NICs in any stack.
    std::string exchange = rail;
    exchange.replace(exchange.find("all-reduce"), 10, "all-to-all");
    CHECK(!RunAndRead(exchange + "system: {dimensions: [4]}\n").facts.isFlatOverNodes);
    // One node: all bytes are on the NVLinks.
    std::string inside = rail;
    inside.replace(inside.find("collective"), 0, "ranks: 2, ");
    CHECK(!RunAndRead(inside + "system: {dimensions: [2]}\n").facts.isFlatOverNodes);
}

TEST_CASE("GatherFacts: a list that passes no data over slow ways gets no advice on a stack",
          "[unit][cli]")
{
    std::string exchange = UNFILLED_NODES;
    exchange.replace(exchange.find("all-reduce"), 10, "all-to-all");
    const FactsOfRun run = RunAndRead(exchange);
    CHECK(!run.facts.isUndivided);
    CHECK(!Contains(run.reading, "Collectives see all ranks as one dimension"));
}

TEST_CASE("GatherFacts: where ECMP leaves equally good links idle, balancing is advised",
          "[unit][cli]")
{
    // Two flows leave leaf0 by one of eight equally good uplinks: with some seed they meet.
    const auto run = [](uint64_t seed, const std::string& packet)
    {
        return RunAndRead(
            "seed: " + std::to_string(seed) +
            "\n"
            "network:\n"
            "  topology: {generator: leaf-spine, npus: 4, npus-per-leaf: 2, spines: 8,\n"
            "    link: {bandwidth: 10 GB/s, latency: 1 us}}\n" +
            packet +
            "workload: {flows: [{src: 0, dst: 2, size: 10 MB}, {src: 1, dst: 3, size: "
            "10 MB}]}\n");
    };
    uint64_t seed = 1;
    while (seed < 100 && run(seed, "").facts.metrics.finish < SimTime::FromUs(1900))
    {
        ++seed;
    }
    const FactsOfRun hashed = run(seed, "");
    REQUIRE(hashed.facts.links.atLeast > 0.7);
    REQUIRE(hashed.facts.links.busiest.starts_with("leaf0 -> "));
    REQUIRE(hashed.facts.links.besideIt);
    CHECK(*hashed.facts.links.besideIt == Approx(0).margin(0.01)); // no data, as none is chosen
    CHECK(Contains(hashed.reading, "network.packet.load-balancing=spray"));
    CHECK(!Contains(hashed.reading, "more bandwidth there"));
    const FactsOfRun sprayed = run(seed, "  packet: {load-balancing: spray}\n");
    CHECK(!sprayed.facts.links.besideIt);
    CHECK(!Contains(sprayed.reading, "load-balancing"));
}

TEST_CASE("GatherFacts: no balancing of switches is advised for the ports of an NPU", "[unit][cli]")
{
    // Each NPU hangs on both switches; a queue pair keeps one of its ports.
    const ScratchDirectory scratch("two-ports");
    std::string links = "nodes: {npus: 2, switches: [leaf0, leaf1]}\nlinks:\n";
    for (const std::string npu : {"npu0", "npu1"})
    {
        for (const std::string leaf : {"leaf0", "leaf1"})
        {
            links +=
                "  - {from: " + npu + ", to: " + leaf + ", bandwidth: 1 GB/s, latency: 500 ns}\n";
        }
    }
    const FactsOfRun run =
        RunAndRead("network: {topology: {file: \"" + scratch.Write("links.yaml", links).string() +
                   "\"}}\n"
                   "workload: {flows: [{src: 0, dst: 1, size: 10 MB}]}\n");
    CHECK(run.facts.links.busiest.starts_with("npu0 -> "));
    CHECK(!run.facts.links.besideIt);
    CHECK(Contains(run.reading, "more bandwidth there"));
}

TEST_CASE("GatherFacts: a library that looks at no stack gets no advice on one", "[unit][cli]")
{
    const std::string advice = "Collectives see all ranks as one dimension";
    const FactsOfRun plain = RunAndRead(UNFILLED_NODES);
    CHECK(plain.facts.isUndivided);
    CHECK(Contains(plain.reading, advice));
    const FactsOfRun nccl = RunAndRead(UNFILLED_NODES + "system: {library: nccl}\n");
    CHECK(!nccl.facts.isUndivided);
    CHECK(!nccl.facts.isFlatOverNodes);
    CHECK(!Contains(nccl.reading, advice));
}

TEST_CASE("GatherFacts: collectives that run over flat lists get no advice on a stack",
          "[unit][cli]")
{
    const auto isAdvised = [&](const std::string& collectives)
    {
        const FactsOfRun run =
            RunAndRead(UNFILLED_NODES + "system: {collectives: {" + collectives + "}}\n");
        return Contains(run.reading, "Collectives see all ranks as one dimension");
    };
    CHECK(isAdvised("all-reduce: ring"));
    CHECK(isAdvised("all-gather: {flat: ring}")); // which nobody calls
    CHECK_FALSE(isAdvised("all-reduce: {flat: ring}"));
    CHECK_FALSE(isAdvised("all-reduce: synthesized"));
}

TEST_CASE("DescribeRun: a straggler is named, with who waits for it and how long", "[unit][cli]")
{
    // Data parallel: every rank computes, then all meet; rank 3 takes four times as long.
    const FactsOfRun run =
        RunAndRead(Star("") + "workload: {generate: {model: mlp, batch: 64, parallelism: dp}}\n"
                              "system:\n"
                              "  compute: {model: roofline, peak: 1 GFLOP/s, memory-bandwidth: 1 "
                              "TB/s, per-rank: {3: 4}}\n");
    REQUIRE(run.facts.late);
    CHECK(run.facts.late->rank == RankId{3});
    CHECK(run.facts.late->factor == 4);
    CHECK(run.facts.late->metrics.compute == run.facts.mostCompute);
    CHECK(Contains(run.summary, "Waiting for ranks that come late to collectives"));
    CHECK(Contains(run.summary, "\n  rank 3 "));
}

TEST_CASE("DescribeRun: nobody is said to wait where all come at once", "[unit][cli]")
{
    const FactsOfRun run = RunAndRead(Star("") + ALL_REDUCE);
    CHECK(!run.facts.late);
    CHECK(!Contains(run.summary, "come late"));
}

TEST_CASE("DescribeRun: collectives that look alike share a row", "[unit][cli]")
{
    const FactsOfRun run = RunAndRead(
        Star("") + "workload: {collective: [{type: all-reduce, size: 64 KiB, repeat: 7}, {type: "
                   "all-to-all, size: 64 KiB}]}\n");
    CHECK(Contains(run.summary, "Slowest of 8 collectives"));
    const size_t table = run.summary.find("Slowest of");
    const std::string rows = run.summary.substr(table, run.summary.find("\n\n", table) - table);
    CHECK(std::count(rows.begin(), rows.end(), '\n') == 3); // the title, the heads and two rows
    CHECK(Contains(rows, "all-reduce *"));
    CHECK(Contains(rows, "  7  "));
}

TEST_CASE("DescribeRun: several kinds of communication have a line each, with the exposed share",
          "[unit][cli]")
{
    const std::string both = "workload: {collective: [{type: all-reduce, size: 64 KiB}, {type: "
                             "all-to-all, size: 64 KiB}]}\n";
    const FactsOfRun run = RunAndRead(Star("") + both);
    CHECK(Contains(run.summary, "What rank 0 communicates"));
    CHECK(Contains(run.summary, "{0..3}"));
    CHECK(Contains(run.summary, "100.0 %")); // nothing computes
    CHECK(!Contains(RunAndRead(Star("") + ALL_REDUCE).summary, "communicates\n"));
    // The table says why its lines add up to more than the breakdown, where they do.
    const std::string overlap = "a moment of several lines counts in each of them";
    CHECK(!Contains(run.summary, overlap)); // one after the other
    const std::string atOnce =
        "workload: {collective: {parallel: [{type: all-reduce, size: 64 KiB}, "
        "{type: all-to-all, size: 64 KiB}]}}\n";
    CHECK(Contains(RunAndRead(Star("") + atOnce).summary, overlap));
}

TEST_CASE("DescribeRun: a link that a fault slows down is busy as long as it sends", "[unit][cli]")
{
    const FactsOfRun run = RunAndRead(
        Star("  faults: [{at: 0 s, link: [npu0, dim0.switch0], bandwidth: 100 MB/s}]\n") +
        "workload: {flows: [{src: 0, dst: 1, size: 1 MB}, {src: 2, dst: 3, size: 3 MB}]}\n");
    // 1 MB takes 10 ms, beside which 3 MB take 3 ms of a healthy link.
    const size_t links = run.summary.find("Busiest links");
    REQUIRE(links != std::string::npos);
    const std::string table = run.summary.substr(links, 400);
    CHECK(table.find("npu0 -> dim0.switch0") < table.find("npu2 -> dim0.switch0"));
    CHECK(Contains(table, "100.0 %"));
}

TEST_CASE("GatherFacts: switches whose bytes no link has count for the ranks that call them",
          "[unit][cli]")
{
    // Group a calls NVLS, and group b many small all-gathers around a ring.
    const ScratchDirectory scratch("run-facts");
    scratch.Write("groups.json",
                  R"({"a": [0, 1, 2, 3, 4, 5, 6, 7], "b": [8, 9, 10, 11, 12, 13, 14, 15]})");
    const auto call = [](uint64_t id, int64_t type, int64_t bytes, const std::string& group)
    {
        return TraceNode(id, ChakraProtoMsg::COMM_COLL_NODE)
            .Int("comm_type", type)
            .Int("comm_size", bytes)
            .Text("pg_name", group);
    };
    const auto slowestHasThem = [&](uint64_t gathers)
    {
        std::vector<TraceNode> small;
        for (uint64_t id = 1; id <= gathers; ++id)
        {
            small.push_back(call(id, ChakraProtoMsg::ALL_GATHER, 8, "b"));
            if (id > 1)
            {
                small.back().Data(id - 1);
            }
        }
        for (uint32_t rank = 0; rank < 16; ++rank)
        {
            const std::vector<TraceNode> large{call(1, ChakraProtoMsg::ALL_REDUCE, 1 << 20, "a")};
            scratch.Write("t." + std::to_string(rank) + ".et", MakeTrace(rank < 8 ? large : small));
        }
        const RunInput input(
            scratch.Write(
                "c.yaml",
                "workload: {trace: \"t.{rank}.et\", groups: groups.json}\n"
                "system: {library: {name: nccl, preset: h100, algorithm: nvls}}\n"
                "network: {backend: flow, topology: {generator: rail, nodes: 2, "
                "npus-per-node: 8, spines: 1, nvlink: {bandwidth: 450 GB/s, latency: 200 ns}, "
                "nic: {bandwidth: 400 Gb/s, latency: 600 ns}}}\n"),
            {});
        return GatherFacts(input, Simulate(input)).hasUnseenSwitches;
    };
    CHECK(slowestHasThem(1));
    CHECK(!slowestHasThem(100));
}
