// SPDX-License-Identifier: GPL-2.0-only
// Every way to get switches that compute wrong, with the line that the user reads.
#include "simulation/simulate.h"
#include "simulation/simulation.h"
#include "tests/support/config-cases.h"

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string FOUR = ", size: 4, bandwidth: 62 GB/s, latency: 500 ns}";
const std::string TWO_LEAVES = "topology: {generator: leaf-spine, npus: 4, npus-per-leaf: 2, "
                               "spines: 1, link: {bandwidth: 50 GB/s, latency: 500 ns}}";

/// Dimensions of these shapes, four NPUs in each.
std::string
Dimensions(const std::vector<std::string>& shapes)
{
    std::string list;
    for (const std::string& shape : shapes)
    {
        list += (list.empty() ? "" : ", ");
        list += "{shape: " + shape + FOUR;
    }
    return "dimensions: [" + list + "]";
}

std::string
WithTrees(const std::string& network, const std::string& inNetwork, const std::string& collectives)
{
    return "workload: {collective: {type: all-reduce, size: 1 MiB}}\n"
           "system: {collectives: {" +
           collectives + "}}\nnetwork: {" + network + ",\n  in-network: " + inNetwork + "}\n";
}

/// Four NPUs at a switch.
std::string
WithInNetwork(const std::string& inNetwork)
{
    return WithTrees(Dimensions({"switch"}), inNetwork, "all-reduce: in-network");
}

std::string
WithAlgorithm(const std::string& collectives)
{
    return WithTrees(Dimensions({"switch"}), "on", collectives);
}

/// What the user reads when the collectives begin.
std::string
RunningErrorOf(const std::string& yaml)
{
    const ScratchDirectory scratch("in-network-errors");
    const auto file = scratch.Write("c.yaml", yaml);
    return scratch.WithoutPath(ConfigErrorText([&] { Simulate(file); }));
}

/// What the user reads before anything is simulated.
std::string
PreparingErrorOf(const std::string& yaml)
{
    const ScratchDirectory scratch("in-network-errors");
    const auto file = scratch.Write("c.yaml", yaml);
    return scratch.WithoutPath(ConfigErrorText(
        [&]
        {
            const RunInput input(file, {});
            RunProgress progress;
            const Simulation simulation(input, progress);
        }));
}

const std::string ALL_REDUCE_LINE = "c.yaml:2: system.collectives.all-reduce: ";
const std::string ALL_REDUCE_KEY = "c.yaml:2: system.collectives.all-reduce.";
const std::string IN_NETWORK_LINE = "c.yaml:4: network.in-network";

} // namespace

TEST_CASE("Configuration errors: correct uses of switches that compute are none", "[golden][cli]")
{
    CHECK(RunningErrorOf(WithInNetwork("on")) == "");
    CHECK(RunningErrorOf(WithInNetwork("{switches: [dim0.*], groups: {per-port: 1}}")) == "");
    CHECK(RunningErrorOf(WithTrees(TWO_LEAVES, "{switches: [leaf1]}", "all-reduce: in-network")) ==
          "");
}

TEST_CASE("Configuration errors: network.in-network", "[golden][cli]")
{
    CheckAll({
        {WithInNetwork("maybe"),
         IN_NETWORK_LINE + R"(: "maybe" is not valid; write on, off or {switches, latency, )"
                           "bandwidth, groups}"},
        {WithInNetwork("{swtches: all}"),
         IN_NETWORK_LINE + ".swtches: unknown key (did you mean switches?)"},
        {WithInNetwork("{switches: leaf0}"),
         IN_NETWORK_LINE + ".switches: is not a list; write a list of names of switches, such as "
                           "[leaf*], or all"},
        {WithInNetwork("{latency: 5}"),
         IN_NETWORK_LINE + R"(.latency: "5" has no unit; write "5 ns" or "5 us")"},
        {WithInNetwork("{bandwidth: fast}"),
         IN_NETWORK_LINE + R"(.bandwidth: "fast" is not a number and a unit; write "1 GB/s" or )"
                           R"("1 Gb/s", or line-rate)"},
        {WithInNetwork("{bandwidth: 0 GB/s}"),
         IN_NETWORK_LINE + R"(.bandwidth: "0 GB/s" is zero, so nothing would ever end; write )"
                           R"("1 GB/s" or "1 Gb/s", or line-rate)"},
    });
}

TEST_CASE("Configuration errors: how many trees a switch serves", "[golden][cli]")
{
    const std::string forms =
        "is not valid; write unlimited, a number of trees, or {per-port: a number}";
    const std::string counts = "is not valid; write a whole number from 1 to 4294967295";
    CheckAll({
        {WithInNetwork("{groups: 0}"), IN_NETWORK_LINE + R"(.groups: "0" )" + counts},
        {WithInNetwork("{groups: -1}"), IN_NETWORK_LINE + R"(.groups: "-1" )" + forms},
        {WithInNetwork("{groups: many}"), IN_NETWORK_LINE + R"(.groups: "many" )" + forms},
        {WithInNetwork("{groups: {per-port: 0}}"),
         IN_NETWORK_LINE + R"(.groups.per-port: "0" )" + counts},
        {WithInNetwork("{groups: {}}"),
         IN_NETWORK_LINE + R"(.groups: key "per-port" is missing: trees at a port)"},
        {WithInNetwork("{groups: {per-prt: 1}}"),
         IN_NETWORK_LINE + ".groups.per-prt: unknown key (did you mean per-port?)"},
    });
}

TEST_CASE("Configuration errors: more trees than a switch ever has room for", "[golden][cli]")
{
    const auto with = [](const std::string& inNetwork)
    {
        // Two lines in each of two dimensions share the one switch.
        return "workload: {collective: {type: all-reduce, size: 1 MiB}}\n"
               "system: {dimensions: [2, 2], collectives: {all-reduce: in-network}}\n"
               "network: {topology: {generator: leaf-spine, npus: 4, npus-per-leaf: 4, spines: 0, "
               "link: {bandwidth: 50 GB/s, latency: 500 ns}},\n"
               "  in-network: " +
               inNetwork + "}\n";
    };
    const std::string problem =
        ": groups: a collective of communicator 0 has more trees on a switch "
        "than have room; write more groups, or when-busy: endpoint";
    CHECK(PreparingErrorOf(with("{groups: 3, when-busy: wait}")) == IN_NETWORK_LINE + problem);
    CHECK(PreparingErrorOf(with("{groups: 4, when-busy: wait}")) == "");
    CHECK(PreparingErrorOf(with("{groups: 3, when-busy: endpoint}")) == "");
}

TEST_CASE("Configuration errors: trees of a cluster that serves", "[golden][cli]")
{
    const auto with = [](const std::string& instances, const std::string& collectives)
    {
        return "workload: {serve: {model: {layers: 1, hidden: 64, heads: 4, vocabulary: 100}, "
               "requests: {rate: 100 /s, count: 1, input: 16, output: 2}, instances: " +
               instances +
               "}}\n"
               "system: {collectives: {" +
               collectives +
               "}, compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 1 TB/s}}\n"
               "network: {" +
               TWO_LEAVES + ", in-network: on}\n";
    };
    CHECK(PreparingErrorOf(with("[{tp: 4}]", "all-reduce: nvls")) ==
          ALL_REDUCE_LINE +
              "nvls cannot run among ranks {0..3}: they do not hang on one switch that "
              "computes; use in-network, or a communicator of fewer ranks");
    CHECK(PreparingErrorOf(with("[{tp: 2, dp: 2}]", "all-reduce: nvls")) == "");
    CHECK(PreparingErrorOf(with("[{tp: 4}]", "all-reduce: in-network")) == "");
    CHECK(PreparingErrorOf(with("[{tp: 1}]", "all-reduce: nvls")) == "");
}

TEST_CASE("Configuration errors: networks without the switches that are asked for", "[golden][cli]")
{
    const auto message = [](const std::string& yaml) { return RunningErrorOf(yaml); };
    CHECK(message(WithTrees(Dimensions({"ring"}), "on", "all-reduce: ring")) ==
          IN_NETWORK_LINE + ": the network has no switch that could compute; write off, or a "
                            "topology with switches");
    CHECK(message(WithInNetwork("{switches: [leaf*]}")) ==
          IN_NETWORK_LINE + R"(: switches: "leaf*" fits no switch; write names such as )"
                            "dim0.switch0, with * for any letters");
    CHECK(message(WithTrees(TWO_LEAVES, "{switches: [leaf0, spine1]}", "all-reduce: in-network")) ==
          IN_NETWORK_LINE + R"(: switches: "spine1" fits no switch; write names such as leaf0, )"
                            "with * for any letters");
    CHECK(
        message(WithInNetwork("{switches: []}")) ==
        ALL_REDUCE_LINE +
            "in-network cannot run among ranks {0..3}: no switch that computes reaches all of them "
            "over switches alone; see network.in-network.switches, or use ring");
}

TEST_CASE("Configuration errors: in-network and nvls where no switch computes", "[golden][cli]")
{
    const auto needsSwitch =
        [](const std::string& algorithm, uint32_t dimension, const std::string& shape)
    {
        return ALL_REDUCE_LINE + algorithm + " needs a switch, and dimension " +
               std::to_string(dimension) + " of the network, a " + shape + ", has none; write " +
               algorithm + " in dimensions of shape switch only, such as [" + algorithm + ", ring]";
    };
    CheckAll({
        {WithTrees(Dimensions({"switch"}), "off", "all-reduce: in-network"),
         ALL_REDUCE_LINE + "in-network needs switches that compute; write network.in-network: on"},
        {WithTrees(Dimensions({"switch"}), "off", "all-reduce: nvls"),
         ALL_REDUCE_LINE + "nvls needs switches that compute; write network.in-network: on"},
        {WithTrees(Dimensions({"ring"}), "on", "all-reduce: in-network"),
         needsSwitch("in-network", 0, "ring")},
        {WithTrees(Dimensions({"switch", "mesh"}), "on", "all-reduce: in-network"),
         needsSwitch("in-network", 1, "mesh")},
        {WithTrees(Dimensions({"switch", "fully-connected"}), "on", "all-reduce: [ring, nvls]"),
         needsSwitch("nvls", 1, "fully-connected")},
        {WithTrees(Dimensions({"switch", "switch"}), "on", "all-reduce: {flat: in-network}"),
         ALL_REDUCE_LINE + "in-network cannot run over all dimensions of a stack at once: only "
                           "NPUs join the switches of two dimensions, and a tree leads over "
                           "switches alone; write one algorithm for each dimension"},
    });
}

TEST_CASE("Configuration errors: collectives that do not run over trees", "[golden][cli]")
{
    CheckAll({
        {WithAlgorithm("all-to-all: in-network"),
         "c.yaml:2: system.collectives.all-to-all: in-network does not exist for all-to-all; write "
         "bidirectional-ring, custom, direct, ring or synthesized"},
        {WithAlgorithm("gather: in-network"),
         "c.yaml:2: system.collectives.gather: in-network does not exist for gather; write custom, "
         "direct or synthesized"},
        {WithAlgorithm("scatter: nvls"),
         "c.yaml:2: system.collectives.scatter: nvls does not exist for scatter; write custom, "
         "direct or synthesized"},
    });
}

TEST_CASE("Configuration errors: slices, windows and trees", "[golden][cli]")
{
    const std::string trees = "is not valid; write a whole number from 1 to 64, such as 8";
    for (const std::string algorithm : {"in-network", "nvls"})
    {
        const auto with = [&](const std::string& keys)
        { return WithAlgorithm("all-reduce: {name: " + algorithm + ", " + keys + "}"); };
        CheckAll({
            {with("slice: 0 B"),
             ALL_REDUCE_KEY + "slice: 0 B cuts nothing; write at least 1 B, such as 64 KiB"},
            {with("window: 32 KiB"),
             ALL_REDUCE_KEY + "window: 32768 B is less than a slice, so nothing would be sent; "
                              "write at least 65536 B, or auto"},
            {with("slice: 4 KiB, window: 4095 B"),
             ALL_REDUCE_KEY + "window: 4095 B is less than a slice, so nothing would be sent; "
                              "write at least 4096 B, or auto"},
            {with("slice: 4 KiB, window: 4 KiB"), ""},
            {with("trees: 0"), "c.yaml:2: system.collectives.all-reduce.trees: \"0\" " + trees},
            {with("trees: 65"), "c.yaml:2: system.collectives.all-reduce.trees: \"65\" " + trees},
            {with("slices: 4 KiB"),
             "c.yaml:2: system.collectives.all-reduce.slices: unknown key (did you mean slice?)"},
        });
    }
}

TEST_CASE("Configuration errors: a slice that cuts an element", "[golden][cli]")
{
    const auto with = [](const std::string& slice)
    {
        return "workload: {trace: t.et, ranks: 4, element-size: 12 B}\n"
               "system: {collectives: {all-reduce: {name: in-network, slice: " +
               slice + "}}}\nnetwork: {" + Dimensions({"switch"}) + ", in-network: on}\n";
    };
    CHECK(ReadingErrorOf(with("4 KiB")) ==
          ALL_REDUCE_LINE + "slice: 4096 B does not hold whole elements of 12 B; write a multiple, "
                            "such as 4104 B");
    CHECK(ReadingErrorOf(with("4104 B")) == "");
}

TEST_CASE("Configuration errors: one of several groups hangs on several switches", "[golden][cli]")
{
    const auto with = [](const std::string& collectives)
    {
        return "workload: {generate: {model: transformer, layers: 1, hidden: 64, heads: 4, "
               "sequence: "
               "16, tp: 2, dp: 2, batch: 2}}\n"
               "system: {collectives: {" +
               collectives + "}}\nnetwork: {" + TWO_LEAVES + ", in-network: on}\n";
    };
    const std::string problem =
        "nvls cannot run among ranks {0, 2}: they do not hang on one switch "
        "that computes; use in-network, or a communicator of fewer ranks";
    CHECK(PreparingErrorOf(with("all-reduce: nvls")) == ALL_REDUCE_LINE + problem);
    CHECK(PreparingErrorOf(with("all-reduce: in-network")) == "");
    CHECK(PreparingErrorOf(with("all-gather: nvls")) == ""); // nobody calls it
}

TEST_CASE("Configuration errors: nvls for members under several switches", "[golden][cli]")
{
    CHECK(
        PreparingErrorOf(WithTrees(TWO_LEAVES, "on", "all-reduce: nvls")) ==
        ALL_REDUCE_LINE +
            "nvls cannot run among ranks {0..3}: they do not hang on one switch that computes; use "
            "in-network, or a communicator of fewer ranks");
}
