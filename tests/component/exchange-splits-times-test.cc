// SPDX-License-Identifier: GPL-2.0-only
// All-to-alls with a size for each pair, and kinds of messages, from traces to times, on all
// backends.
#include "common/hash.h"
#include "simulation/simulate.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/trace-bytes.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <numeric>

using namespace nadi;
using namespace nadi::test;

namespace
{

using TraceRows = std::vector<std::vector<int64_t>>;

const std::vector<std::string> SPLIT_BACKENDS{"packet", "flow", "analytical"};

/// 1 B/ns and 1 us to the switch, and as much from there.
const std::string FOUR_ON_SWITCH =
    "network: {dimensions: [{shape: switch, size: 4, bandwidth: 1 GB/s, latency: 1 us}]}\n";
const std::string RANK_PAIR_NETWORK =
    "network: {dimensions: [{shape: ring, size: 2, bandwidth: 1 GB/s, latency: 1 us}]}\n";

void
AddList(TraceNode& node, const char* name, const std::vector<int64_t>& values)
{
    node.Add(name).mutable_int64_list()->mutable_values()->Add(values.begin(), values.end());
}

/// An all-to-all of elements of `elementBytes`; without `splits`, in equal parts.
TraceNode
MakeExchangeNode(const std::vector<int64_t>& sends, int64_t elementBytes, bool hasSplits = true)
{
    const int64_t sum = std::accumulate(sends.begin(), sends.end(), int64_t{0});
    TraceNode node = TraceNode(1, ChakraProtoMsg::COMM_COLL_NODE)
                         .Cpu(false)
                         .Int("comm_type", ChakraProtoMsg::ALL_TO_ALL)
                         .Int("comm_size", sum * elementBytes);
    if (hasSplits)
    {
        AddList(node, "in_split_size", sends);
    }
    return node;
}

RunResults
RunTraces(const std::vector<std::vector<TraceNode>>& ranks,
          const std::string& network,
          const std::string& backend,
          const std::string& more = "",
          std::optional<uint64_t> scramble = std::nullopt)
{
    const ScratchDirectory scratch("exchange-splits");
    for (size_t rank = 0; rank < ranks.size(); ++rank)
    {
        scratch.Write(fmt::format("x.{}.et", rank), MakeTrace(ranks[rank]));
    }
    const auto file = scratch.Write("c.yaml",
                                    network + "workload: {trace: \"x.{rank}.et\"" + more +
                                        "}\noutput: {flows: on}\n");
    RunResults results = Simulate(file, {"network.backend=" + backend}, {.scrambleSeed = scramble});
    REQUIRE(results.status == RunStatus::Done);
    return results;
}

RunResults
RunExchange(const TraceRows& rows,
            const std::string& backend,
            bool hasSplits = true,
            std::optional<uint64_t> scramble = std::nullopt)
{
    std::vector<std::vector<TraceNode>> ranks;
    for (const std::vector<int64_t>& row : rows)
    {
        ranks.push_back({MakeExchangeNode(row, 2, hasSplits)});
    }
    return RunTraces(ranks, FOUR_ON_SWITCH, backend, "", scramble);
}

TraceRows
DrawTraceRows(uint64_t seed)
{
    TraceRows rows(4, std::vector<int64_t>(4));
    for (uint32_t from = 0; from < 4; ++from)
    {
        for (uint32_t to = 0; to < 4; ++to)
        {
            const uint64_t draw = Hash64({seed, from, to});
            rows[from][to] = draw % 4 == 0 ? 0 : static_cast<int64_t>((draw >> 8) % 50'000);
        }
    }
    return rows;
}

int64_t
FlowBytes(const RunResults& results, uint32_t from, uint32_t to)
{
    int64_t bytes = 0;
    for (const FlowRecord& flow : *results.flows)
    {
        const bool isMeant = flow.source.value == from && flow.destination.value == to;
        bytes += isMeant ? flow.size.Count() : 0;
    }
    return bytes;
}

TraceNode
MakePeerNode(uint64_t id, bool isSend, int64_t tag, int64_t size, const std::string& kind = "")
{
    TraceNode node(id, isSend ? ChakraProtoMsg::COMM_SEND_NODE : ChakraProtoMsg::COMM_RECV_NODE);
    node.Cpu(false)
        .Int(isSend ? "comm_dst" : "comm_src", isSend ? 1 : 0)
        .Int("comm_tag", tag)
        .Int("comm_size", size);
    return kind.empty() ? node : node.Text("comm_kind", kind);
}

constexpr int64_t LONG_TAG = 1000;
constexpr int64_t SHORT_TAG = 1;
constexpr int64_t LONG_SIZE = 4'096'000; // 1000 frames
constexpr int64_t SHORT_SIZE = 8192;     // 2 frames

/// The long one is sent first, at the same instant.
RunResults
RunLongAndShort(const std::string& backend, const std::string& kind, const std::string& more = "")
{
    return RunTraces({{MakePeerNode(1, true, LONG_TAG, LONG_SIZE, kind),
                       MakePeerNode(2, true, SHORT_TAG, SHORT_SIZE)},
                      {MakePeerNode(1, false, LONG_TAG, LONG_SIZE),
                       MakePeerNode(2, false, SHORT_TAG, SHORT_SIZE)}},
                     RANK_PAIR_NETWORK,
                     backend,
                     more);
}

/// In nanoseconds.
double
ShortTime(const RunResults& results)
{
    for (const FlowRecord& flow : *results.flows)
    {
        if (flow.size == Bytes(SHORT_SIZE))
        {
            return (flow.delivered - flow.sent).Ns();
        }
    }
    return -1;
}

constexpr double FULL_FRAME_NS = 4096 + 64; // bytes on the wire, and so nanoseconds
constexpr double PAIR_LATENCY_NS = 1000;

} // namespace

TEST_CASE("All-to-all: its time follows the largest column, not the mean, on all backends",
          "[component]")
{
    // Each rank sends 3 S to others, in elements of 2 B: S to each; or, all but rank 0, to rank 0,
    // which then receives 9 S. The rows are the same in both.
    constexpr int64_t S = 500'000;
    const TraceRows even{{S, S, S, S}, {S, S, S, S}, {S, S, S, S}, {S, S, S, S}};
    const TraceRows hot{{4 * S, 0, 0, 0}, {3 * S, S, 0, 0}, {3 * S, 0, S, 0}, {3 * S, 0, 0, S}};
    const double wire = 2.0 * S * FULL_FRAME_NS / 4096; // of S elements, at 1 B/ns
    for (const std::string& backend : SPLIT_BACKENDS)
    {
        CAPTURE(backend);
        const RunResults flat = RunExchange(even, backend);
        const RunResults skewed = RunExchange(hot, backend);
        CHECK(flat.finish.Ns() == Approx(3 * wire).epsilon(0.02));
        CHECK(skewed.finish.Ns() == Approx(9 * wire).epsilon(0.02));
        const CollectiveResult& result = skewed.collectives.front();
        CHECK(result.lowerBound.Ns() >= 9 * 2.0 * S);
        CHECK(result.lowerBound <= result.record.end - result.record.begin);
        CHECK(result.record.size == Bytes(4 * 2 * S));
    }
}

TEST_CASE("All-to-all: random splits arrive, on all backends, in any order of execution",
          "[component]")
{
    for (uint64_t seed = 0; seed < 12; ++seed)
    {
        const TraceRows rows = DrawTraceRows(seed);
        for (const std::string& backend : SPLIT_BACKENDS)
        {
            CAPTURE(seed, backend);
            const RunResults results = RunExchange(rows, backend);
            for (uint32_t from = 0; from < 4; ++from)
            {
                for (uint32_t to = 0; to < 4; ++to)
                {
                    CHECK(FlowBytes(results, from, to) == (from == to ? 0 : rows[from][to] * 2));
                }
            }
            const CollectiveResult& result = results.collectives.front();
            CHECK(result.lowerBound <= result.record.end - result.record.begin);
            CHECK(results.digest == RunExchange(rows, backend, true, seed + 7).digest);
        }
    }
}

TEST_CASE("All-to-all: equal splits have the digest of a trace without, on all backends",
          "[component]")
{
    const TraceRows rows(4, std::vector<int64_t>(4, 12'345));
    for (const std::string& backend : SPLIT_BACKENDS)
    {
        CHECK(RunExchange(rows, backend, true).digest == RunExchange(rows, backend, false).digest);
    }
}

TEST_CASE("Kinds: with one stream a short message waits for the long one before it", "[component]")
{
    for (const std::string& backend : SPLIT_BACKENDS)
    {
        CAPTURE(backend);
        CHECK(ShortTime(RunLongAndShort(backend, "")) ==
              Approx(1002 * FULL_FRAME_NS + PAIR_LATENCY_NS));
        // The kind that all have who name none changes nothing.
        CHECK(RunLongAndShort(backend, "pipeline").digest == RunLongAndShort(backend, "").digest);
    }
}

TEST_CASE("Kinds: what a node says goes before what its tag says", "[component]")
{
    const std::string streams = ", streams: [{name: kv, tags: 1000..1999}]";
    for (const std::string& backend : SPLIT_BACKENDS)
    {
        CAPTURE(backend);
        CHECK(ShortTime(RunLongAndShort(backend, "pipeline", streams)) ==
              Approx(1002 * FULL_FRAME_NS + PAIR_LATENCY_NS));
    }
}

TEST_CASE("Kinds: a long KV transfer does not hold up a short message", "[component]")
{
    // Frame by frame: the two frames of the short message go second and fourth, or first and third.
    for (const std::string& more : {std::string(),
                                    std::string(", streams: [{name: kv, tags: "
                                                "1000..1999}]")})
    {
        const std::string kind = more.empty() ? "kv" : "";
        const double packet = ShortTime(RunLongAndShort("packet", kind, more));
        CHECK(packet <= 4 * FULL_FRAME_NS + PAIR_LATENCY_NS);
        CHECK(packet >= 3 * FULL_FRAME_NS + PAIR_LATENCY_NS);
        // At half the rate.
        CHECK(ShortTime(RunLongAndShort("flow", kind, more)) ==
              Approx(2 * 2 * FULL_FRAME_NS + PAIR_LATENCY_NS));
    }
    CHECK(RunLongAndShort("packet", "kv").digest ==
          RunLongAndShort("packet", "", ", streams: [{name: kv, tags: 1000}]").digest);
}

TEST_CASE("All-to-all: NCCL sends splits as it sends equal parts, peer to peer and on rails",
          "[component]")
{
    // Two nodes of two. One element of each row goes elsewhere than in equal parts; or, of the
    // first row, all goes to the last rank, over the rail of the second ranks.
    constexpr int64_t S = 4'000'000;
    const std::string links = "nvlink: {bandwidth: 450 GB/s, latency: 100 ns}, "
                              "nic: {bandwidth: 400 Gb/s, latency: 500 ns}}}\n";
    for (const std::string& network :
         {"network: {topology: {generator: nodes, nodes: 2, npus-per-node: 2, leaves: 1, "
          "spines: 0, " +
              links,
          "network: {topology: {generator: rail, nodes: 2, npus-per-node: 2, spines: 1, " + links})
    {
        CAPTURE(network);
        const std::string library = "system: {library: {name: nccl, preset: h100, transport: "
                                    "ib-ndr, release: \"2.21\"}}\n";
        const auto run = [&](const TraceRows& rows)
        {
            std::vector<std::vector<TraceNode>> ranks;
            for (const std::vector<int64_t>& row : rows)
            {
                ranks.push_back({MakeExchangeNode(row, 2)});
            }
            return RunTraces(ranks, library + network, "packet");
        };
        const RunResults even = run(TraceRows(4, {S, S, S, S}));
        const RunResults near = run(TraceRows(4, {S - 1, S + 1, S, S}));
        const RunResults lone = run({{0, 0, 0, 4 * S}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}});
        const auto& algorithm = even.collectives.front().record.decision.algorithm;
        CHECK(near.collectives.front().record.decision.algorithm == algorithm);
        CHECK(near.collectives.front().record.extremes);
        CHECK(near.finish.Ns() == Approx(even.finish.Ns()).epsilon(0.001));
        const bool isOnRails = algorithm == "rail-exchange";
        CHECK(isOnRails == (network.find("rail") != std::string::npos));
        CHECK(lone.flows->size() == (isOnRails ? 2 : 1));
        CHECK(lone.flows->front().size == Bytes(2 * 4 * S));
    }
}
