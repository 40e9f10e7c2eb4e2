// SPDX-License-Identifier: GPL-2.0-only
#include "common/unit-parser.h"
#include "tests/support/contains.h"
#include "tests/support/import-bench.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>
#include <sstream>

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string SECOND_GENERATION = "topology: [ Ring, Switch ]\n"
                                      "npus_count: [ 4, 2 ]\n"
                                      "bandwidth: [ 62.0, 37.5 ]  # GB/s\n"
                                      "latency: [ 500.0, 936.25 ]\n";

/// The first generation: one fully connected dimension, and a ring with two links for each NPU.
const std::string FIRST_GENERATION = R"({
  "topology-name": "Hierarchical",
  "topologies-per-dim": ["FullyConnected", "Ring"],
  "dimension-type": ["N", "P"],
  "dimensions-count": 2,
  "units-count": [4, 2],
  "links-count": [6, 2],
  "link-latency": [10, 20],
  "link-bandwidth": [50, 25],
  "nic-latency": [0, 0],
  "router-latency": [0, 7],
  "hbm-latency": [500, 500]
})";

/// Imports files of these texts.
class Importer : public ImportBench
{
  public:
    Importer(const std::string& network, const std::string& system)
        : ImportBench("import")
    {
        Inputs().network = Scratch().Write("n.yml", network);
        Inputs().system = Scratch().Write("s.json", system);
    }
};

/// Imports a file of the remote memory.
class MemoryImporter : public Importer
{
  public:
    explicit MemoryImporter(const std::string& memory)
        : Importer(SECOND_GENERATION, "{}")
    {
        Inputs().remoteMemory = Scratch().Write("m.json", memory);
    }
};

} // namespace

TEST_CASE("ImportAstraSim: a network of 2.x counts GB of 2^30 bytes", "[unit][importers]")
{
    const Importer importer(SECOND_GENERATION, "{}");
    const std::vector<Dimension> dimensions = importer.Read().network.dimensions;
    REQUIRE(dimensions.size() == 2);
    CHECK(dimensions[0].shape == "ring");
    CHECK(dimensions[0].size == 4);
    CHECK(dimensions[0].bandwidth.BitsPerSecond() == int64_t{62} * 8 * 1024 * 1024 * 1024);
    CHECK(dimensions[0].latency == SimTime::FromNs(500));
    CHECK(dimensions[1].shape == "switch");
    CHECK(dimensions[1].bandwidth.BitsPerSecond() == int64_t{300} * 1024 * 1024 * 1024);
    CHECK(dimensions[1].latency == SimTime::FromPs(936'250));
    CHECK(Contains(importer.Lines(),
                   "n.yml:3: bandwidth: [62.0, 37.5] -> network.dimensions[].bandwidth: "
                   "62 GiB/s, 37.5 GiB/s (GB of 2^30 bytes)\n"));
}

TEST_CASE("ImportAstraSim: links of 1.x beyond the shape's own share the bandwidth",
          "[unit][importers]")
{
    const Importer importer(FIRST_GENERATION, "all-reduce-implementation: direct_ring\n");
    const Config config = importer.Read();
    const std::vector<Dimension>& dimensions = config.network.dimensions;
    REQUIRE(dimensions.size() == 2);
    CHECK(dimensions[0].shape == "fully-connected");
    // Six links where three lead to the others: twice the bandwidth each.
    CHECK(dimensions[0].bandwidth.BitsPerSecond() == int64_t{2 * 50} * 8 * 1024 * 1024 * 1024);
    // Two links of each NPU on a ring of two, which are one link here: twice the bandwidth.
    CHECK(dimensions[1].bandwidth.BitsPerSecond() == int64_t{2 * 25} * 8 * 1024 * 1024 * 1024);
    // A ring with links both ways uses both.
    const auto& algorithms = config.system.options.algorithms.at(CollectiveType::AllReduce);
    REQUIRE(algorithms.perDimension.size() == 2);
    CHECK(algorithms.perDimension[0].name == "direct");
    CHECK(algorithms.perDimension[1].name == "bidirectional-ring");
    CHECK(Contains(importer.Lines(), "n.yml:9: link-bandwidth: [50, 25] -> "));
    CHECK(Contains(importer.Lines(), "nic-latency: [0, 0] -> nothing: it is 0\n"));
    CHECK(Contains(importer.Lines(), "router-latency: [0, 7] -> no counterpart: add it"));
}

TEST_CASE("ImportAstraSim: links of 1.x that do not go evenly around are not used",
          "[unit][importers]")
{
    const auto network = [](const std::string& shape, int size, int links)
    {
        return fmt::format("topologies-per-dim: [{}]\nunits-count: [{}]\nlinks-count: [{}]\n"
                           "link-bandwidth: [200]\nlink-latency: [10]\n",
                           shape,
                           size,
                           links);
    };
    const auto times = [&](const std::string& shape, int size, int links)
    {
        const Importer importer(network(shape, size, links), "{}");
        return importer.Read().network.dimensions[0].bandwidth.BitsPerSecond() /
               (int64_t{200} * 8 * 1024 * 1024 * 1024);
    };
    // Of a ring one link of two goes each way, so an odd one is left over.
    CHECK(times("Ring", 8, 2) == 1);
    CHECK(times("Ring", 8, 3) == 1);
    CHECK(times("Ring", 8, 4) == 2);
    // Two NPUs are joined by one link here, and by all links but an odd one there.
    CHECK(times("Ring", 2, 2) == 2);
    CHECK(times("Ring", 2, 3) == 2);
    CHECK(times("Ring", 2, 4) == 4);
    // Seven others: ten links are one to each, and three that are left over.
    CHECK(times("FullyConnected", 8, 10) == 1);
    CHECK(times("FullyConnected", 8, 14) == 2);
    CHECK(times("FullyConnected", 1, 3) == 1);
    CHECK(times("Switch", 8, 3) == 3);
    CHECK(Contains(Importer(network("FullyConnected", 8, 10), "{}").Lines(),
                   "; of dimension 0, 7 of 10 links are used, as in ASTRA-sim\n"));
    CHECK(Contains(Importer(network("Ring", 2, 5), "{}").Lines(),
                   "; of dimension 0, 4 of 5 links are used, as in ASTRA-sim\n"));
    const auto error = [&](const std::string& shape, int size, int links)
    { return Importer(network(shape, size, links), "{}").Error(); };
    CHECK(
        error("Ring", 4, 1) ==
        "n.yml:3: links-count[0]: 1 link of each NPU, too few for 4 NPUs in the shape ring, which "
        "needs 2; "
        "ASTRA-sim refuses it too; write 2 or more");
    CHECK(Contains(error("Ring", 2, 1), "too few for 2 NPUs in the shape ring, which needs 2; "));
    CHECK(error("FullyConnected", 8, 4) ==
          "n.yml:3: links-count[0]: 4 links of each NPU, too few for 8 NPUs in the shape "
          "fully-connected, which needs 7; ASTRA-sim refuses it too; write 7 or more");
}

TEST_CASE("ImportAstraSim: a system sets what has a counterpart", "[unit][importers]")
{
    const Importer importer(SECOND_GENERATION, R"({
 "endpoint-delay": 10,
 "active-chunks-per-dimension": 3,
 "preferred-dataset-splits": 4,
 "all-reduce-implementation": ["ring", "halvingDoubling"],
 "all-gather-implementation": ["oneRing"],
 "all-to-all-implementation": ["direct8", "direct"],
 "collective-optimization": "baseline",
 "intra-dimension-scheduling": "SCF",
 "inter-dimension-scheduling": "themis",
 "local-mem-bw": 1600,
 "roofline-enabled": 1,
 "peak-perf": 312.5
})");
    const SystemConfig system = importer.Read().system;
    const SystemOptions& options = system.options;
    CHECK(options.endpointDelay == SimTime::FromNs(10));
    CHECK(options.scheduling.chunksInFlight == 3);
    CHECK(options.scheduling.chunks == 4);
    CHECK(options.scheduling.perDimension);
    CHECK(options.scheduling.intraDimension == "smallest-first");
    CHECK(options.scheduling.interDimension.name == "themis");
    CHECK(options.sendsInFlight == 8);
    CHECK(options.algorithms.at(CollectiveType::AllReduce).perDimension[1].name ==
          "halving-doubling");
    CHECK(options.algorithms.at(CollectiveType::AllGather).isFlat);
    CHECK(system.compute.model == ComputeOptions::Model::Roofline);
    CHECK(system.compute.memoryBandwidth == Bandwidth::FromBytesPerSecond(1600'000'000'000));
    CHECK(system.compute.peak == ParseFlopRate("312.5 TFLOP/s"));
    CHECK(system.memory.local.bandwidth == Bandwidth::FromBytesPerSecond(1600'000'000'000));
    // Three accesses for each byte, to the nearest bit per second.
    CHECK(options.reductionBandwidth ==
          Bandwidth::FromBitsPerSecond((int64_t{1600'000'000'000} * 8 + 1) / 3));
}

TEST_CASE("ImportAstraSim: every key has a line, known or not", "[unit][importers]")
{
    const std::string system = "scheduling-policy: LIFO\n"
                               "endpoint-delay: 10\n"
                               "endpoint-dely: 10\n"
                               "boost-mode: 1\n"
                               "L: 0\n"
                               "replay-only: 0\n"
                               "all-to-all-implementation: halvingDoubling_halvingDoubling\n"
                               "peak-perf: 900\n"
                               "local-reduction-delay: 1\n"
                               "something-else: [1, 2]\n";
    const Importer importer(SECOND_GENERATION, system);
    const std::string lines = importer.Lines();
    std::istringstream stream(system + SECOND_GENERATION);
    for (std::string line; std::getline(stream, line);)
    {
        CHECK(Contains(lines, ": " + line.substr(0, line.find(':')) + ": "));
    }
    CHECK(Contains(lines,
                   "s.json:3: endpoint-dely: 10 -> unknown key, left out (did you mean "
                   "endpoint-delay?)\n"));
    CHECK(Contains(lines, "s.json:10: something-else: [1, 2] -> unknown key, left out\n"));
    CHECK(Contains(lines, "s.json:1: scheduling-policy: LIFO -> no counterpart: "));
    CHECK(Contains(lines,
                   "s.json:7: all-to-all-implementation: halvingDoubling_halvingDoubling -> no "
                   "counterpart: halving-doubling does not exist for all-to-all; the shape's "
                   "default is taken\n"));
}

TEST_CASE("ImportAstraSim: every name of an algorithm is read, and what has no counterpart is told",
          "[unit][importers]")
{
    const auto lineOf = [](const std::string& names)
    {
        const std::string lines =
            Importer(SECOND_GENERATION, "all-gather-implementation: " + names + "\n").Lines();
        const size_t at = lines.find("s.json:1: ");
        return lines.substr(at, lines.find("\ns.json (default)", at) - at);
    };
    const std::string key = "s.json:1: all-gather-implementation: ";
    for (const std::string names : {"[oneRing, nonsense]", "[ring, ring, nonsense]"})
    {
        CHECK(
            Importer(SECOND_GENERATION, "all-gather-implementation: " + names + "\n")
                .Error()
                .starts_with(key.substr(0, key.size() - 1) + " \"nonsense\" is not valid; write "));
    }
    CHECK(lineOf("[ring, oneDirect]") ==
          key + "[ring, oneDirect] -> no counterpart: an algorithm over all ranks behind others; "
                "the shape's default is taken");
    CHECK(lineOf("direct8_direct8") ==
          key + "direct8_direct8 -> system.collectives.all-gather: [direct, direct]");
}

TEST_CASE("ImportAstraSim: a double binary tree passes on whole chunks, as there",
          "[unit][importers]")
{
    const Importer importer(SECOND_GENERATION,
                            "all-reduce-implementation: [ring, doubleBinaryTree]\n"
                            "collective-optimization: baseline\n");
    const auto& algorithms = importer.Read().system.options.algorithms;
    const ComponentChoice& tree = algorithms.at(CollectiveType::AllReduce).perDimension[1];
    CHECK(tree.name == "double-binary-tree");
    CHECK(Contains(importer.Run().yaml, "{name: double-binary-tree, slice: 1 TiB}"));
}

TEST_CASE("ImportAstraSim: policies that the source knows and Nadi lacks have a line",
          "[unit][importers]")
{
    const auto import = [](const std::string& line)
    { return Importer(SECOND_GENERATION, line + "\n"); };
    for (const std::string policy : {"RG", "lessRemainingPhaseFirst"})
    {
        const std::string line = "intra-dimension-scheduling: " + policy;
        CHECK(Contains(import(line).Lines(),
                       "s.json:1: " + line + " -> no counterpart: fifo is taken\n"));
        CHECK(import(line).Read().system.options.scheduling.intraDimension == "fifo");
    }
    CHECK(Contains(import("intra-dimension-scheduling: LIFO").Error(), "\"LIFO\" is not valid"));
    const std::string hint = "the smaller one starts first here, and the larger one there";
    CHECK(Contains(import("scheduling-policy: EXPLICIT").Lines(), hint));
    CHECK_FALSE(Contains(import("scheduling-policy: LIFO").Lines(), hint));
}

TEST_CASE("ImportAstraSim: memory nodes are remote, but where there is no remote memory",
          "[unit][importers]")
{
    const MemoryImporter pool("memory-type: MEMORY_POOL\n");
    CHECK(pool.Read().system.memory.defaultLocation == MemoryLocation::Remote);
    CHECK(Contains(pool.Lines(),
                   "m.json:1: memory-type: MEMORY_POOL -> system.memory.default-location: remote"));
    const MemoryImporter none("memory-type: NO_MEMORY_EXPANSION\n");
    CHECK(none.Read().system.memory.defaultLocation == MemoryLocation::Local);
    CHECK(Importer(SECOND_GENERATION, "{}").Read().system.memory.defaultLocation ==
          MemoryLocation::Local);
}

TEST_CASE("ImportAstraSim: the largest window of all direct algorithms holds, others are told",
          "[unit][importers]")
{
    const auto importer = [](int npus, const std::string& system)
    {
        return Importer(fmt::format("topology: [ FullyConnected, Switch ]\nnpus_count: [ {}, 2 ]\n"
                                    "bandwidth: [ 50.0, 50.0 ]\nlatency: [ 500.0, 500.0 ]\n",
                                    npus),
                        system);
    };
    const auto sends = [&](int npus, const std::string& system)
    { return importer(npus, system).Read().system.options.sendsInFlight; };
    const std::string all = "all-to-all-implementation: ";
    const std::string reduce = "all-reduce-implementation: ";
    // Without a number, direct sends to all others at once.
    CHECK(sends(128, all + "direct_direct") == 127);
    CHECK(sends(128, all + "oneDirect") == 255);
    CHECK(sends(128, reduce + "ring_ring") == 64);
    CHECK(sends(16, all + "direct_direct") == 64);
    CHECK(sends(16, all + "direct8_direct") == 8);
    // The order of keys and dimensions decides nothing.
    for (const std::string& system : {reduce + "direct8_direct8\n" + all + "direct_direct\n",
                                      all + "direct_direct\n" + reduce + "direct8_direct8\n"})
    {
        CHECK(sends(16, system) == 15);
        CHECK(Contains(importer(16, system).Lines(),
                       reduce +
                           "direct8_direct8 -> no counterpart: the window of direct8: one number "
                           "holds for all collectives and dimensions here, and the largest is "
                           "15\n"));
    }
    CHECK(sends(16, reduce + "direct8_ring\n" + all + "direct2_ring\n") == 8);
    const std::string lines = importer(16, reduce + "direct8_direct4").Lines();
    CHECK(Contains(lines, reduce + "direct8_direct4 -> system.sends-in-flight: 8\n"));
    // Two NPUs never have more than one send at a time, so no window limits them.
    CHECK_FALSE(Contains(lines, "the window of"));
    // A file replaces the algorithm, and with it the window.
    CHECK(sends(128, all + "direct_direct\nall-to-all-implementation-custom: [\"mine\"]\n") == 64);
}

TEST_CASE("ImportAstraSim: keys that a system lacks have ASTRA-sim's defaults, with a line each",
          "[unit][importers]")
{
    const Importer importer(SECOND_GENERATION, "{}");
    const SystemConfig system = importer.Read().system;
    const SystemOptions& options = system.options;
    // Those of the constructor of its Sys, which differ from Nadi's own where two are given.
    CHECK(options.scheduling.chunks == 1U);
    CHECK(options.scheduling.chunksInFlight == 1);
    CHECK(options.scheduling.perDimension);
    CHECK(options.scheduling.intraDimension == "fifo");
    CHECK(options.scheduling.interDimension == "baseline");
    CHECK(options.endpointDelay == SimTime::FromNs(10));
    CHECK_FALSE(options.reductionBandwidth);
    CHECK(system.compute.model == ComputeOptions::Model::Trace);
    CHECK(system.memory.local.latency == SimTime{});
    const std::map<std::string, std::string> outcomes{
        {"preferred-dataset-splits: 1", "system.chunks: 1"},
        {"active-chunks-per-dimension: 1", "system.chunks-in-flight: 1"},
        {"collective-optimization: baseline", "system.hierarchy: per-dimension"},
        {"intra-dimension-scheduling: FIFO", "system.intra-dimension: fifo"},
        {"inter-dimension-scheduling: ascending", "system.inter-dimension: baseline"},
        {"endpoint-delay: 10", "system.endpoint-delay: 10 ns"},
        {"local-mem-bw: 0", "system.reduction-bandwidth: none; "},
        {"local-mem-latency: 0", "system.memory.local.latency: 0 s"},
        {"roofline-enabled: 0", "system.compute.model: trace"},
        {"replay-only: 0", "system.compute.model: trace"},
        {"all-reduce-implementation: none", "no counterpart: the default of the shape is taken"},
        {"all-gather-implementation: none", "no counterpart: the default of the shape is taken"},
        {"reduce-scatter-implementation: none", "no counterpart: the default of the shape"},
        {"all-to-all-implementation: none", "no counterpart: the default of the shape is taken"}};
    for (const auto& [key, outcome] : outcomes)
    {
        CHECK(Contains(importer.Lines(), "s.json (default): " + key + " -> " + outcome));
    }
}

TEST_CASE("ImportAstraSim: algorithms of single nodes stay in their file", "[unit][importers]")
{
    const Importer importer(SECOND_GENERATION, "{\"per-node-custom-implementation\": \"map.yml\"}");
    CHECK(Contains(importer.Lines(),
                   "s.json:1: per-node-custom-implementation: map.yml -> "
                   "system.collectives.per-node: map.yml"));
}

TEST_CASE("ImportAstraSim: a key that a system has goes before the default", "[unit][importers]")
{
    const std::map<std::string, std::string> values{{"preferred-dataset-splits", "4"},
                                                    {"active-chunks-per-dimension", "2"},
                                                    {"collective-optimization", "localBWAware"},
                                                    {"intra-dimension-scheduling", "SCF"},
                                                    {"inter-dimension-scheduling", "themis"},
                                                    {"endpoint-delay", "20"},
                                                    {"local-mem-bw", "1600"},
                                                    {"local-mem-latency", "5"},
                                                    {"roofline-enabled", "0"},
                                                    {"replay-only", "1"},
                                                    {"all-reduce-implementation", "ring_ring"}};
    for (const auto& [key, value] : values)
    {
        CAPTURE(key);
        const Importer importer(SECOND_GENERATION, key + ": " + value + "\n");
        CHECK(Contains(importer.Lines(), "s.json:1: " + key + ": " + value + " -> "));
        CHECK_FALSE(importer.Lines().find("s.json (default): " + key + ":") != std::string::npos);
    }
}

TEST_CASE("ImportAstraSim: a memory's absent keys have ASTRA-sim's defaults", "[unit][importers]")
{
    Importer importer(SECOND_GENERATION, "{}");
    importer.Inputs().remoteMemory = importer.Scratch().Write("m.json", "{}");
    importer.Inputs().logicalTopology = importer.Scratch().Write("l.json", "{}");
    const Config config = importer.Read();
    CHECK(config.system.memory.remote.latency == SimTime{});
    CHECK(config.system.memory.sharing == MemoryOptions::Sharing::PerNpu);
    CHECK(Contains(importer.Lines(), "m.json (default): memory-type: NO_MEMORY_EXPANSION -> "));
    CHECK(Contains(importer.Lines(), "m.json (default): remote-mem-latency: 0 -> "));
    CHECK(Contains(importer.Lines(),
                   "m.json (default): remote-mem-bw: 0 -> no counterpart: a rate of 0 is none; "
                   "system.memory.remote.bandwidth has Nadi's default\n"));
    CHECK(Contains(importer.Lines(),
                   "l.json (default): logical-dims: none -> network.dimensions: the same\n"));
}

TEST_CASE("ImportAstraSim: NPUs of a node are those of a memory of each node", "[unit][importers]")
{
    for (const std::string type :
         {"MEMORY_POOL", "PER_NPU_MEMORY_EXPANSION", "NO_MEMORY_EXPANSION"})
    {
        CAPTURE(type);
        const MemoryImporter pool("memory-type: " + type + "\nnum-npus-per-node: 4\n");
        CHECK_NOTHROW(pool.Read());
        CHECK(Contains(pool.Lines(),
                       "m.json:2: num-npus-per-node: 4 -> no counterpart: of "
                       "PER_NODE_MEMORY_EXPANSION, and the memory is another\n"));
    }
    for (const std::string rest : {"", "num-npus-per-node: 0\n"})
    {
        CHECK(MemoryImporter("memory-type: PER_NODE_MEMORY_EXPANSION\n" + rest).Error() ==
              "m.json:1: memory-type: needs the key \"num-npus-per-node\", a number from 1");
    }
}

TEST_CASE("ImportAstraSim: a memory's zeros are none, and its unknown keys are told",
          "[unit][importers]")
{
    Importer importer(SECOND_GENERATION, "{}");
    importer.Inputs().remoteMemory =
        importer.Scratch().Write("m.json",
                                 "{\"remote-mem-bw\": 0.0, \"num-npus-per-node\": 0.0,"
                                 " \"num-npus-per-nod\": 0}");
    importer.Read();
    CHECK(Contains(importer.Lines(), "remote-mem-bw: 0.0 -> no counterpart: a rate of 0 is none"));
    CHECK(Contains(importer.Lines(), "num-npus-per-node: 0.0 -> nothing: it follows from the"));
    CHECK(
        Contains(importer.Lines(), "num-npus-per-nod: 0 -> unknown key, left out (did you mean "));
}

TEST_CASE("ImportAstraSim: workloads are found by their prefix", "[unit][importers]")
{
    Importer importer(SECOND_GENERATION, "{}");
    // A text beside the traces is none of them.
    importer.Scratch().Write("w.txt", "");
    importer.Scratch().Write("w.et", "");
    CHECK(Contains(importer.Run().yaml, "trace: w.{rank}.et\n"));
    CHECK(Contains(importer.Lines(), "--workload: w -> workload.trace: w.{rank}.et\n"));
    importer.Inputs().workload = importer.Scratch().Write("one.et", "").string();
    CHECK(Contains(importer.Run().yaml, "trace: one.et\n"));
    CHECK(Contains(importer.Lines(), "--workload: one.et -> workload.trace: one.et\n"));
    const std::string text = importer.Scratch().Write("mlp.txt", "").string();
    for (const std::string& prefix : {text, text.substr(0, text.size() - 4)})
    {
        importer.Inputs().workload = prefix;
        CHECK(Contains(importer.Run().yaml, "model: text"));
        CHECK(Contains(importer.Lines(), " -> workload.generate: {model: text, file: mlp.txt}\n"));
    }
    importer.Inputs().workload = "none";
    CHECK(importer.Error() == "--workload: there is no none.0.et; name the prefix of traces, so "
                              "that none.<rank>.et are files");
}

TEST_CASE("ImportAstraSim: a replay takes what was recorded, communication too",
          "[unit][importers]")
{
    const Importer replay(SECOND_GENERATION, "replay-only: 1\nroofline-enabled: 1\n");
    const Config config = replay.Read();
    CHECK(config.workload.replaysCommunication);
    CHECK(config.system.compute.model == ComputeOptions::Model::Trace);
    CHECK(Contains(replay.Lines(), "s.json:1: replay-only: 1 -> workload.communication: recorded"));
    const Importer simulated(SECOND_GENERATION, "replay-only: 0\n");
    CHECK_FALSE(simulated.Read().workload.replaysCommunication);
}

TEST_CASE("ImportAstraSim: groups, logical dimensions and remote memory", "[unit][importers]")
{
    Importer importer(SECOND_GENERATION, "{}");
    const ScratchDirectory& scratch = importer.Scratch();
    importer.Inputs().groups = scratch.Write("g.json", "{\"1\": [0, 1], \"2\": [2, 3]}");
    importer.Inputs().logicalTopology = scratch.Write("l.json", "{\"logical-dims\": [\"4\", 2]}");
    importer.Inputs().remoteMemory =
        scratch.Write("m.json",
                      "{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\", \"remote-mem-latency\": 7,"
                      " \"remote-mem-bw\": 100, \"num-nodes\": 2, \"num-npus-per-node\": 4}");
    const Config config = importer.Read();
    CHECK(config.workload.groups == (scratch.Path() / "g.json").string());
    CHECK(Contains(importer.Lines(),
                   "g.json:1: 2: [2, 3] -> workload.groups, which is that file; if it is not of "
                   "all ranks, it runs as one ring there, and with the algorithms of system here"));
    CHECK(config.system.memory.remote.latency == SimTime::FromNs(7));
    CHECK(config.system.memory.remote.bandwidth == Bandwidth::FromBytesPerSecond(100'000'000'000));
    CHECK(config.system.memory.sharing == MemoryOptions::Sharing::Node);
    CHECK(config.system.memory.ranksPerNode == 4);
    CHECK(Contains(importer.Lines(), "l.json:1: logical-dims: [4, 2] -> network.dimensions: "));
    scratch.Write("l.json", "{\"logical-dims\": [\"8\"]}");
    CHECK(importer.Error() == "l.json:1: logical-dims: differs from the dimensions of the network, "
                              "which collectives follow; write those of the network, or leave the "
                              "file out");
}

TEST_CASE("ImportAstraSim: a group is a list of different ranks of the network",
          "[unit][importers]")
{
    Importer importer(SECOND_GENERATION, "{}");
    const auto error = [&importer](const std::string& groups)
    {
        importer.Inputs().groups = importer.Scratch().Write("g.json", groups);
        return importer.Error();
    };
    CHECK(error("{\"1\": [0, 8]}") == "g.json:1: 1[1]: rank 8 is outside of the 8 NPUs of the "
                                      "network; the last one is 7");
    CHECK(error("{\"1\": [0, 1, 0]}") ==
          "g.json:1: 1[2]: rank 0 is in the group twice; list it once");
    CHECK(error("{\"1\": []}") == "g.json:1: 1: lists no ranks; write them as [0, 1]");
    CHECK(error("{\"1\": 0}") == "g.json:1: 1: lists no ranks; write them as [0, 1]");
}

TEST_CASE("ImportAstraSim: what is wrong is named with its place", "[unit][importers]")
{
    const auto system = [](const std::string& text)
    { return Importer(SECOND_GENERATION, text).Error(); };
    CHECK(system("endpoint-delay: fast\n") ==
          "s.json:1: endpoint-delay: \"fast\" is not valid; write a number from 0");
    CHECK(system("\npreferred-dataset-splits: 1.5\n") ==
          "s.json:2: preferred-dataset-splits: \"1.5\" is not valid; write a whole number");
    CHECK(system("collective-optimization: best\n") ==
          "s.json:1: collective-optimization: \"best\" is not valid; write baseline or "
          "localBWAware");
    CHECK(system("all-reduce-implementation: ring\n") ==
          "s.json:1: all-reduce-implementation: has 1 algorithms for 2 dimensions; write one for "
          "each");
    CHECK(Contains(system("all-reduce-implementation: ring_rong\n"),
                   "s.json:1: all-reduce-implementation: \"rong\" is not valid; write direct, "));
    CHECK(system("roofline-enabled: 1\n") ==
          "s.json:1: roofline-enabled: needs the key \"local-mem-bw\"");
    CHECK(Contains(system("a: 1\na: 2\n"), "s.json:2: key \"a\" is given twice"));
    CHECK(system("roofline-enabled: 1\nlocal-mem-bw: 1600\npeak-perf: 18446744073709551616\n") ==
          "s.json:3: peak-perf: \"18446744073709551616\" is too large; write a smaller number");
    CHECK(system("roofline-enabled: 1\nlocal-mem-bw: 1600\npeak-perf: 0\n") ==
          "s.json:3: peak-perf: must not be 0");
    const auto network = [](const std::string& text) { return Importer(text, "{}").Error(); };
    CHECK(network("npus_count: [8]\n") ==
          "n.yml:1: key \"topology\" is missing; a network of ASTRA-sim's analytical backends has "
          "it");
    CHECK(network("topology: [Cube]\nnpus_count: [8]\nbandwidth: [1]\nlatency: [1]\n") ==
          "n.yml:1: topology[0]: \"Cube\" has no counterpart; write AllToAll, FullyConnected, "
          "Line, Ring or Switch");
    CHECK(network("topology: [Ring]\nnpus_count: [8]\nbandwidth: [1, 2]\nlatency: [1]\n") ==
          "n.yml:3: bandwidth: has 2 values for 1 dimensions; write one for each");
    CHECK(network("topology: [Ring]\nnpus_count: [8]\nbandwidth: [0]\nlatency: [1]\n") ==
          "n.yml:3: bandwidth[0]: must not be 0");
    CHECK(network("topology: [Ring]\nnpus_count: [0]\nbandwidth: [1]\nlatency: [1]\n") ==
          "n.yml:2: npus_count[0]: must not be 0");
    CHECK(network("[1, 2]\n") == "n.yml:1: is not a mapping of keys; name a file of ASTRA-sim's");
}
