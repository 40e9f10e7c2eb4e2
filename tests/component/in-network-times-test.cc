// SPDX-License-Identifier: GPL-2.0-only
// Collectives over trees of switches that compute, a frame to a slice and without other traffic,
// against their closed forms.
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/tree-case.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr int64_t SLICES = 200; // of what a member sends or gets, whatever the collective

TreeLevel
MakeLevel(uint32_t children, int64_t gigabytes, int64_t nanoseconds)
{
    return {children,
            Bandwidth::FromBytesPerSecond(gigabytes * 1'000'000'000),
            SimTime::FromNs(nanoseconds)};
}

/// A star, two levels, and three levels, with the slowest links below or above. Each frame takes
/// one of two slices of time, rounded up, so that no time divides another.
const std::vector<std::vector<TreeLevel>> TREES{
    {MakeLevel(5, 450, 500)},
    {MakeLevel(3, 50, 300), MakeLevel(4, 150, 700)},
    {MakeLevel(3, 50, 300), MakeLevel(2, 37, 700)},
    {MakeLevel(2, 50, 100), MakeLevel(3, 100, 250), MakeLevel(2, 75, 400)}};

const Bytes SLICE(PAYLOAD);

/// How many times a switch reduces a slice on its longest way: at each switch on the way up, and in
/// a reduce also on the way down, where the other branches come in.
int64_t
ReductionsOf(const TreeCase& tree)
{
    if (tree.type == "reduce")
    {
        return 2 * tree.Height() - 1;
    }
    return tree.type == "broadcast" || tree.type == "all-gather" ? 0 : tree.Height();
}

SimTime
ReductionTime(const TreeCase& tree, Bytes slice)
{
    return tree.switchRate && slice > Bytes(0) ? slice / *tree.switchRate : SimTime();
}

/// From the first bit of a slice at a member until its result may be used at the farthest one: all
/// links up and down, the switches between them, and the endpoint.
SimTime
RoundTrip(const TreeCase& tree, Bytes slice)
{
    return tree.WayUpAndDown(slice) + tree.switchLatency * (2 * tree.Height() - 1) +
           ReductionTime(tree, slice) * ReductionsOf(tree) + tree.endpointDelay;
}

/// The time from one slice to the next on the busiest link, or in the unit that reduces.
SimTime
Pace(const TreeCase& tree, Bytes slice)
{
    const SimTime unit = ReductionsOf(tree) > 0 ? ReductionTime(tree, slice) : SimTime();
    return std::max(tree.SlowestFrame(slice), unit);
}

/// Of slices one after the other over the whole tree.
SimTime
PipelineTime(const TreeCase& tree, int64_t slices)
{
    return RoundTrip(tree, SLICE) + Pace(tree, SLICE) * (slices - 1);
}

} // namespace

TEST_CASE("In-network: an all-reduce takes a round trip, and the time of each further slice",
          "[component][in-network]")
{
    const std::vector<TreeLevel> levels = GENERATE(from_range(TREES));
    const SimTime latency = SimTime::FromNs(GENERATE(0, 250));
    const std::string type = GENERATE("all-reduce", "broadcast", "reduce");
    const TreeCase tree{
        .levels = levels, .type = type, .size = SLICE * SLICES, .switchLatency = latency};
    CAPTURE(levels.size(), type, latency.Ps());
    CHECK(tree.Run().finish == PipelineTime(tree, SLICES));
}

TEST_CASE("In-network: a barrier takes the round trip of a header", "[component][in-network]")
{
    const std::vector<TreeLevel> levels = GENERATE(from_range(TREES));
    const TreeCase tree{.levels = levels, .type = "barrier", .switchLatency = SimTime::FromNs(250)};
    CHECK(tree.Run().finish == RoundTrip(tree, Bytes(0)));
}

TEST_CASE("In-network: in a reduce-scatter each member sends all slices, one after the other",
          "[component][in-network]")
{
    const std::vector<TreeLevel> levels = GENERATE(from_range(TREES));
    TreeCase tree{
        .levels = levels, .type = "reduce-scatter", .switchLatency = SimTime::FromNs(250)};
    const int64_t slices = 20 * int64_t{tree.NodeCount(0)};
    tree.size = SLICE * slices;
    CHECK(tree.Run().finish == PipelineTime(tree, slices));
}

/// A member's own slices go to the others, and theirs come to it: the link to a member is the
/// busiest. The first slice that it carries is that of a neighbour under the same switch. With all
/// slices under way at once, those of neighbours are enough until those from afar come, and from
/// then on links that are no slower bring these in time.
TEST_CASE("In-network: in an all-gather each member gets the slices of the others, one after the "
          "other",
          "[component][in-network]")
{
    const size_t index = GENERATE(0U, 1U, 3U);
    TreeCase tree{.levels = TREES[index],
                  .type = "all-gather",
                  .size = SLICE * SLICES,
                  .window = Bytes(1 << 30),
                  .switchLatency = SimTime::FromNs(250)};
    const SimTime frame = tree.FrameTime(0, SLICE);
    REQUIRE(tree.SlowestFrame(SLICE) == frame);
    const SimTime fromNeighbour = (frame + tree.levels[0].latency) * 2 + tree.switchLatency;
    CHECK(tree.Run().finish ==
          fromNeighbour + tree.endpointDelay + frame * ((tree.NodeCount(0) - 1) * SLICES - 1));
}

/// W slices under way: a member sends slice W when the first one is back, so every W slices cost a
/// round trip.
TEST_CASE("In-network: a window below the round trip holds an all-reduce up, by the closed form",
          "[component][in-network]")
{
    const std::vector<TreeLevel> levels = GENERATE(from_range(TREES));
    const int64_t window = GENERATE(1, 2, 7);
    const TreeCase tree{.levels = levels,
                        .size = SLICE * SLICES,
                        .window = SLICE * window,
                        .switchLatency = SimTime::FromNs(250)};
    const SimTime trip = RoundTrip(tree, SLICE);
    REQUIRE(Pace(tree, SLICE) * window < trip); // it binds
    CAPTURE(levels.size(), window);
    CHECK(tree.Run().finish ==
          trip * ((SLICES - 1) / window + 1) + Pace(tree, SLICE) * ((SLICES - 1) % window));
}

TEST_CASE("In-network: a window of the round trip does not hold an all-reduce up",
          "[component][in-network]")
{
    const std::vector<TreeLevel> levels = GENERATE(from_range(TREES));
    TreeCase tree{.levels = levels, .size = SLICE * SLICES};
    const SimTime pace = Pace(tree, SLICE);
    const int64_t enough = (RoundTrip(tree, SLICE).Ps() + pace.Ps() - 1) / pace.Ps();
    tree.window = SLICE * enough;
    CHECK(tree.Run().finish == PipelineTime(tree, SLICES));
    tree.window = SLICE * (enough - 1);
    CHECK(tree.Run().finish > PipelineTime(tree, SLICES));
}

TEST_CASE("In-network: a switch that reduces slower than its links sets the pace",
          "[component][in-network]")
{
    const std::vector<TreeLevel> levels = GENERATE(from_range(TREES));
    const std::string type = GENERATE("all-reduce", "reduce");
    const TreeCase tree{.levels = levels,
                        .type = type,
                        .size = SLICE * SLICES,
                        .window = Bytes(1 << 30),
                        .switchLatency = SimTime::FromNs(250),
                        .switchRate = Bandwidth::FromBytesPerSecond(31'000'000'000)};
    REQUIRE(Pace(tree, SLICE) == ReductionTime(tree, SLICE));
    CHECK(tree.Run().finish == PipelineTime(tree, SLICES));
}

TEST_CASE("In-network: a switch that only multicasts is not slowed down by how fast it reduces",
          "[component][in-network]")
{
    const TreeCase tree{.levels = TREES[1],
                        .type = "broadcast",
                        .size = SLICE * SLICES,
                        .switchRate = Bandwidth::FromBytesPerSecond(1'000'000'000)};
    CHECK(tree.Run().finish == PipelineTime(tree, SLICES));
}

TEST_CASE("In-network: flow and analytical backends agree with the closed forms within 2 %",
          "[component][in-network]")
{
    const std::vector<TreeLevel> levels = GENERATE(from_range(TREES));
    const std::string backend = GENERATE("flow", "analytical");
    const std::string type = GENERATE("all-reduce", "broadcast", "reduce", "reduce-scatter");
    const std::optional<Bytes> window = GENERATE(std::optional<Bytes>(), SLICE * 3);
    TreeCase tree{.levels = levels,
                  .type = type,
                  .size = SLICE * SLICES,
                  .window = window,
                  .switchLatency = SimTime::FromNs(250),
                  .backend = backend};
    const auto slices = int64_t{tree.NodeCount(0)} * 20;
    tree.size = SLICE * slices;
    CAPTURE(levels.size(), backend, type, window.has_value());
    const auto finish = static_cast<double>(tree.Run().finish.Ps());
    tree.backend = "packet";
    CHECK(finish == Approx(static_cast<double>(tree.Run().finish.Ps())).epsilon(0.02));
}

/// The owner of a slice pulls it reduced, and then pushes it: two ways to the switch and back.
TEST_CASE("Nvls: an all-reduce of one slice takes two round trips", "[component][in-network]")
{
    const TreeCase tree{.levels = TREES[0],
                        .algorithm = "nvls",
                        .size = SLICE,
                        .switchLatency = SimTime::FromNs(250)};
    CHECK(tree.Run().finish == RoundTrip(tree, SLICE) * 2);
}

/// A member sends its slices, and one in p a second time, as their owner.
TEST_CASE("Nvls: an all-reduce of many slices takes S (1 + 1/p) of the link within 5 %",
          "[component][in-network]")
{
    TreeCase tree{.levels = TREES[0], .algorithm = "nvls"};
    const int64_t ranks = tree.NodeCount(0);
    tree.size = SLICE * ranks * SLICES * 10;
    const SimTime busy = tree.FrameTime(0, SLICE) * ((ranks + 1) * SLICES * 10);
    const SimTime ends = tree.Run().finish - RoundTrip(tree, SLICE) * 2;
    CHECK(ends >= busy);
    CHECK(ends.Ns() < busy.Ns() * 1.05);
}

/// A member's link carries the slices of all trees by turns, so each slice takes longer; the window
/// grows with the trees, and the links stay busy.
TEST_CASE("In-network: more trees do not slow an all-reduce down by more than what is under way",
          "[component][in-network]")
{
    const std::string size = "8 MiB";
    const auto finishWith = [&](const std::string& trees)
    {
        return RunYaml(
                   {"workload: {collective: {type: all-reduce, size: " + size +
                    "}}\n"
                    "system: {chunks: 1, collectives: {all-reduce: {name: in-network, trees: " +
                    trees +
                    "}}}\n"
                    "network:\n  in-network: on\n  topology: {generator: leaf-spine, npus: 16, "
                    "npus-per-leaf: 8, spines: 8, link: {bandwidth: 50 GB/s, latency: 500 ns}}\n"})
            .finish;
    };
    // 16 frames to a slice. Up and down, a slice of eight trees comes as late as eight slices.
    const SimTime slice =
        (Bytes(PAYLOAD + HEADER) / Bandwidth::FromBytesPerSecond(50'000'000'000)) * 16;
    CHECK(finishWith("8") <= finishWith("1") + slice * (2 * 8));
}

/// A leaf has four links to each of four spines, so 16 trees share the link of an NPU.
TEST_CASE("In-network: trees on parallel links do not slow an all-reduce down either",
          "[component][in-network]")
{
    const int64_t slices = 256;
    const auto finishWith = [&](const std::string& trees)
    {
        return RunYaml({fmt::format(
                           "workload: {{collective: {{type: all-reduce, size: {} B}}}}\n"
                           "system: {{chunks: 1, collectives: {{all-reduce: {{name: in-network, "
                           "trees: {}}}}}}}\n"
                           "network:\n  in-network: on\n  topology: {{generator: leaf-spine, npus: "
                           "16, npus-per-leaf: 8, spines: 4, uplinks-per-spine: 4, link: "
                           "{{bandwidth: 50 GB/s, latency: 500 ns}}}}\n",
                           slices * 16 * PAYLOAD,
                           trees)})
            .finish;
    };
    const SimTime slice =
        (Bytes(PAYLOAD + HEADER) / Bandwidth::FromBytesPerSecond(50'000'000'000)) * 16;
    CHECK(finishWith("16") <= finishWith("1") + slice * (2 * 16));
}

/// Four switches of a node, each with a fourth of the links: as one switch with all of them.
TEST_CASE("Nvls: owners push over all switches of a node", "[component][in-network]")
{
    // The size of an all-gather is that of a rank's shard.
    const auto [type, size] = GENERATE(
        table<std::string, std::string>({{"all-reduce", "64 MiB"}, {"all-gather", "4 MiB"}}));
    const std::string algorithm = GENERATE("nvls", "in-network");
    const auto finishWith = [&, type = type, size = size](int64_t switches)
    {
        std::string names;
        std::string links;
        for (int64_t at = 0; at < switches; ++at)
        {
            names += fmt::format("{}s{}", at == 0 ? "" : ", ", at);
            for (int npu = 0; npu < 8; ++npu)
            {
                links += fmt::format(
                    "  - {{from: npu{}, to: s{}, bandwidth: {} MB/s, latency: 250 ns}}\n",
                    npu,
                    at,
                    450'000 / switches);
            }
        }
        const ScratchDirectory scratch("nvls-switches");
        scratch.Write("t.yaml",
                      fmt::format("nodes: {{npus: 8, switches: [{}]}}\nlinks:\n{}", names, links));
        return Simulate(scratch.Write(
                            "c.yaml",
                            fmt::format("workload: {{collective: {{type: {}, size: {}}}}}\n"
                                        "system: {{chunks: 1, collectives: {{{}: {}}}}}\n"
                                        "network: {{in-network: on, topology: {{file: t.yaml}}}}\n",
                                        type,
                                        size,
                                        type,
                                        algorithm)),
                        {})
            .finish;
    };
    CAPTURE(type, algorithm);
    CHECK(finishWith(4).Ns() < finishWith(1).Ns() * 1.06);
}

/// Slices fill the links by themselves, and chunks in flight would each have a window.
TEST_CASE("In-network: where switches run a collective alone, auto means one chunk",
          "[component][in-network]")
{
    const std::string algorithm = GENERATE("nvls", "in-network");
    const auto run = [&](const std::string& chunks, const std::string& size)
    {
        return RunYaml({"workload: {collective: {type: all-reduce, size: " + size +
                        "}}\n"
                        "system: {chunks: " +
                        chunks + ", collectives: {all-reduce: " + algorithm +
                        "}}\n"
                        "network:\n  in-network: on\n  dimensions: [{shape: switch, size: 8, "
                        "bandwidth: 450 GB/s, latency: 250 ns}]\n"});
    };
    CHECK(run("auto", "16 MiB").digest == run("1", "16 MiB").digest);
    // A user who wants more gets more.
    CHECK(run("2", "16 MiB").effects.mostChunks == 2);
    // A switch passes a single slice on when it has all of it; two halves follow each other.
    CHECK(run("auto", "64 KiB").finish < run("1", "64 KiB").finish);
}

TEST_CASE("In-network: NICs that NPUs share pass slices on, and leaves reduce them",
          "[component][in-network]")
{
    const auto digestWith = [](const std::string& switches)
    {
        return RunYaml({"workload: {collective: {type: all-reduce, size: 1 MiB}}\n"
                        "system: {collectives: {all-reduce: {flat: in-network}}}\n"
                        "network:\n  in-network: " +
                        switches +
                        "\n  topology: {generator: nodes, nodes: 2, npus-per-node: 4, "
                        "nics-per-node: 2, spines: 0, nvlink: {bandwidth: 450 GB/s, latency: 100 "
                        "ns}, nic: "
                        "{bandwidth: 50 GB/s, latency: 500 ns}}\n"})
            .digest;
    };
    CHECK(digestWith("on") == digestWith("{switches: [node*.nvswitch, leaf*]}"));
    CHECK(digestWith("on") != digestWith("{switches: [node*.nic*, leaf*]}"));
}
