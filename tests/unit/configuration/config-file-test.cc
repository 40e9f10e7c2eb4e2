// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/config-file.h"
#include "tests/support/config-error-text.h"
#include "tests/support/read-text.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/workload-yaml.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <sstream>

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string NETWORK =
    "network:\n"
    "  dimensions:\n"
    "    - {shape: ring, size: 8, bandwidth: 62 GB/s, latency: 500 ns}\n"
    "    - {shape: switch, size: 4, bandwidth: 37.5 GB/s, latency: 500 ns}\n";

/// Every key of a configuration, with values that differ from the default where that is possible.
const std::string EVERYTHING = R"(
workload:
  trace: ../traces/mlp.{rank}.et
  groups: ../traces/groups.json
  ranks: 7
  element-size: 2 B
  dependencies: data
system:
  collectives:
    all-reduce: [ring, {name: double-binary-tree, slice: 64 KiB}]
    all-to-all: {flat: direct}
    broadcast: {flat: {name: ring, slice: 1 KiB}}
  hierarchy: per-dimension
  chunks: 3
  chunks-in-flight: 1
  inter-dimension: themis
  intra-dimension: lifo
  concurrent-collectives: 2
  sends-in-flight: 5
  endpoint-delay: 11 ns
  reduction-bandwidth: 1 TB/s
  compute: {model: roofline, peak: 312 TFLOP/s, memory-bandwidth: 2 TB/s, efficiency: {gemm: 0.7, attention: 0.5, memory: 0.8}, kernels: kernels.csv, outside: roofline, scale: 1.5, per-rank: {3: 1.2, 5: 0.1}}
  memory:
    local: {latency: 1 ps, bandwidth: 1 TB/s}
    remote: {latency: 2 us, bandwidth: 99 GB/s, shared: node, ranks-per-node: 8}
network:
  backend: packet
  dimensions:
    - {shape: ring, size: 8, bandwidth: 62 GB/s, latency: 500 ns}
    - {shape: switch, size: 4, bandwidth: 37.5 GB/s, latency: 500 ns}
  packet:
    payload: 4095 B
    header: 0 B
    control-frame: 65 B
    acknowledge: 4 frames
    trains: off
    congestion-control: dcqcn
    window: bdp
    pfc: {headroom: 100 KB, alpha: 1/16}
    ecn: {min: 5 KB, max: 200 KB, probability: 0.01}
    buffer: 32 MB
    load-balancing: spray
    switching: cut-through
    switch-latency: 3 ns
    loss-recovery: selective
    retransmit-timeout: 500 us
  ns3: {"ns3::FabricSwitch::BufferSize": 32 MB, "ns3::A::B": "1,2: #3"}
  faults:
    - {at: 5 us, until: 90 us, link: [npu0, npu1], state: down}
    - {link: all, loss: 1e-3}
    - {at: 1 ms, link: [dim1.switch0, npu3], bandwidth: 10 GB/s}
  reroute-after: 2 ms
output: {flows: on, timeline: on, series: 10 us, pcap: [[npu0, npu1], [npu3, dim1.switch0]]}
seed: 18446744073709551615
)";

} // namespace

TEST_CASE("ReadConfig: absent sections and keys have the defaults", "[unit][configuration]")
{
    const Config config = ReadText(WORKLOAD + NETWORK + "system:\noutput:\n");
    CHECK(config.seed == 1);
    CHECK(config.network.packet.payload == Bytes(4096));
    CHECK(config.network.packet.header == Bytes(64));
    CHECK(config.network.packet.controlFrame == Bytes(64));
    CHECK(!config.network.packet.framesPerAcknowledgement);
    CHECK(config.network.packet.switchLatency == SimTime{});
    CHECK(!config.output.flows);
    CHECK(!config.output.timeline);
    CHECK(!config.system.options.scheduling.chunks); // auto
    CHECK(config.system.options.scheduling.chunksInFlight == 2);
    CHECK(config.system.options.scheduling.interDimension == "baseline");
    CHECK(config.system.options.scheduling.intraDimension == "fifo");
    CHECK(!config.system.options.scheduling.perDimension);
    CHECK(config.system.options.sendsInFlight == 64);
    CHECK(config.system.options.concurrentCollectives == 0);
    CHECK(config.system.options.endpointDelay == SimTime::FromNs(10));
    CHECK(!config.system.options.reductionBandwidth);
    CHECK(config.system.compute.model == ComputeOptions::Model::Trace);
    CHECK(config.system.memory.sharing == MemoryOptions::Sharing::PerNpu);
}

TEST_CASE("ReadConfig: every key lands where it belongs", "[unit][configuration]")
{
    const Config config = ReadText(EVERYTHING);
    CHECK(config.seed == 18446744073709551615U);
    CHECK(config.network.packet.seed == config.seed);
    CHECK(config.output.flows);
    CHECK(config.workload.ranks == 7U);
    CHECK(config.workload.dependencies == DependencyPolicy::Data);
    CHECK(config.system.options.elementBytes == 2);
    CHECK(std::filesystem::path(*config.workload.trace).is_absolute());
    CHECK(std::filesystem::path(*config.workload.trace).filename() == "mlp.{rank}.et");
    CHECK(config.network.dimensions[1].bandwidth == Bandwidth::FromBitsPerSecond(300'000'000'000));
    CHECK(config.network.packet.framesPerAcknowledgement == 4U);
    CHECK(config.network.packet.switchLatency == SimTime::FromNs(3));
    CHECK(!config.network.packet.trains);
    CHECK(config.system.options.scheduling.perDimension);
    CHECK(config.system.compute.perRank.at(3) == 1.2);
    CHECK(config.system.compute.efficiency ==
          KernelEfficiency{.gemm = 0.7, .attention = 0.5, .memory = 0.8});
    CHECK(std::filesystem::path(config.system.compute.kernels.value()).is_absolute());
    CHECK(config.system.compute.outside == ComputeOptions::Outside::Roofline);
    CHECK(config.system.memory.ranksPerNode == 8);
    CHECK(config.system.memory.local.latency == SimTime::FromPs(1));
}

TEST_CASE("ReadConfig: on, true and yes are one value", "[unit][configuration]")
{
    for (const std::string word : {"on", "true", "yes"})
    {
        CHECK(ReadText(WORKLOAD + NETWORK + "  packet: {trains: " + word + "}\n")
                  .network.packet.trains);
    }
    for (const std::string word : {"off", "false", "no"})
    {
        const Config config =
            ReadText(WORKLOAD + NETWORK + "  packet: {trains: " + word + ", pfc: " + word + "}\n");
        CHECK(!config.network.packet.trains);
    }
}

TEST_CASE("ReadConfig: algorithms follow the shapes unless they are named", "[unit][configuration]")
{
    const auto choose = [](const std::string& collectives, CollectiveType type)
    {
        return ReadText(WORKLOAD + NETWORK + "system: {collectives: " + collectives + "}\n")
            .system.options.algorithms.at(type);
    };
    const auto names = [](const AlgorithmChoice& choice)
    {
        std::string text;
        for (const ComponentChoice& spec : choice.perDimension)
        {
            text += (text.empty() ? "" : "+") + spec.name;
        }
        return text;
    };
    CHECK(names(choose("{}", CollectiveType::AllReduce)) == "bidirectional-ring+halving-doubling");
    CHECK(names(choose("{}", CollectiveType::AllToAll)) == "direct+direct");
    CHECK(names(choose("{}", CollectiveType::Broadcast)) == "auto+auto"); // by size
    CHECK(names(choose("{reduce: auto}", CollectiveType::Reduce)) == "auto+auto");
    CHECK(names(choose("{all-reduce: ring}", CollectiveType::AllReduce)) == "ring+ring");
    CHECK(names(choose("{all-reduce: [ring, direct]}", CollectiveType::AllReduce)) ==
          "ring+direct");
    const AlgorithmChoice flat = choose("{all-to-all: {flat: direct}}", CollectiveType::AllToAll);
    CHECK(flat.isFlat);
    CHECK(names(flat) == "direct");
}

TEST_CASE("ReadConfig: a barrier runs what the all-reduce runs, where that is possible",
          "[unit][configuration]")
{
    const Config config =
        ReadText(WORKLOAD + NETWORK + "system: {collectives: {all-reduce: ring}}");
    const auto& algorithms = config.system.options.algorithms;
    CHECK(algorithms.at(CollectiveType::Barrier).perDimension ==
          algorithms.at(CollectiveType::AllReduce).perDimension);
}

TEST_CASE("ReadConfig: settings make the errors of files", "[unit][configuration]")
{
    const auto error = [](const std::string& setting)
    { return ConfigErrorText([&] { ReadText(WORKLOAD + NETWORK, {setting}); }); };
    CHECK(error("network.dimensions[0].bandwidth=31") ==
          "--set: network.dimensions[0].bandwidth: \"31\" has no unit; write \"31 GB/s\" or "
          "\"31 Gb/s\"");
    CHECK(error("network.dimensions[0].bandwith=31 GB/s") ==
          "--set: network.dimensions[0].bandwith: unknown key (did you mean bandwidth?)");
    CHECK(ReadText(WORKLOAD + NETWORK, {"network.dimensions[0].bandwidth=31 GB/s"})
              .network.dimensions[0]
              .bandwidth == Bandwidth::FromBytesPerSecond(31'000'000'000));
}

TEST_CASE("ReadConfig: refuses a path that no YAML can hold", "[unit][configuration]")
{
    const ScratchDirectory scratch("config-in-latin1");
    const std::string yaml = "workload: {trace: t.et, ranks: 32}\n" + NETWORK;
    const auto error = [&](const std::string& directory)
    {
        const std::filesystem::path file = scratch.Write(directory + "/c.yaml", yaml);
        return scratch.WithoutPath(ConfigErrorText([&] { ReadConfig(file, {}); }));
    };
    CHECK(error("d\xe9") ==
          "d\xe9/c.yaml:1: workload.trace: is in a directory whose name is not in "
          "UTF-8; rename the directory");
    CHECK(error("d\xc3\xa9").empty());
}

TEST_CASE("WriteConfig: reading it again gives the same text", "[unit][configuration]")
{
    for (const std::string& yaml :
         {EVERYTHING,
          WORKLOAD + NETWORK,
          NETWORK + "workload: {flows: [{src: 0, dst: 1, size: 4 MiB, at: 3 us}]}\n",
          NETWORK + "workload: {collective: [{type: barrier}, {parallel: [{type: all-gather, "
                    "size: 3 B, repeat: 2, size-means: total}, {type: reduce, size: 1 B}]}]}\n",
          WORKLOAD + "network: {topology: {file: \"a: b #c.yaml\"}}\n"
                     "system: {dimensions: [2, 4], collectives: {all-reduce: [ring, direct]}}\n"})
    {
        const std::string once = WriteConfig(ReadText(yaml));
        CHECK(WriteConfig(ReadText(once)) == once);
    }
}

TEST_CASE("WriteConfig: what a user wrote stands in it, with every default",
          "[unit][configuration]")
{
    const std::string text = WriteConfig(ReadText(EVERYTHING));
    for (const std::string line :
         {"  ranks: 7\n",
          "  element-size: 2 B\n",
          "  inter-dimension: {name: themis, threshold: 0.0625}\n",
          "    per-rank: {3: 1.2, 5: 0.1}\n",
          "    efficiency: {gemm: 0.7, attention: 0.5, other: 1.0, memory: "
          "0.8}\n",
          "    outside: roofline\n",
          "    acknowledge: 4 frames\n",
          "    trains: off\n",
          "    all-to-all: {flat: direct}\n",
          "    congestion-control:\n      name: dcqcn\n",
          "    pfc: {headroom: 100 KB, alpha: 0.0625}\n",
          "    ecn: {min: 5 KB, max: 200 KB, probability: 0.01}\n",
          "    - at: 5 us\n      until: 90 us\n"
          "      link: [npu0, npu1]\n      state: down\n",
          "  series: 10 us\n",
          "  flows: on\n",
          "seed: 18446744073709551615\n"})
    {
        CAPTURE(line);
        CHECK(text.find(line) != std::string::npos);
    }
}

TEST_CASE("MakeConfigSchema: knows every key of a full configuration", "[unit][configuration]")
{
    const auto schema = nlohmann::json::parse(MakeConfigSchema());
    CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
    CHECK(schema["required"] == nlohmann::json({"workload", "network"}));
    const auto keys = [&](const std::string& section)
    { return schema["properties"][section]["anyOf"][1]["properties"]; };
    const auto check = [](const nlohmann::json& properties, const std::string& names)
    {
        std::istringstream words(names);
        for (std::string name; words >> name;)
        {
            CAPTURE(name);
            CHECK(properties.contains(name));
            CHECK(properties[name].contains("description"));
        }
    };
    check(keys("workload"),
          "file trace groups ranks element-size dependencies collective flows "
          "generate");
    check(keys("system"),
          "file collectives dimensions hierarchy chunks chunks-in-flight "
          "inter-dimension intra-dimension concurrent-collectives sends-in-flight "
          "endpoint-delay reduction-bandwidth compute memory");
    check(keys("network"), "file backend dimensions topology packet ns3 faults reroute-after");
    check(
        keys("network")["packet"]["properties"],
        "payload header control-frame acknowledge trains congestion-control window pfc ecn buffer "
        "load-balancing switching switch-latency loss-recovery retransmit-timeout");
    check(schema["properties"], "output seed");
    check(schema["properties"]["output"]["properties"], "flows timeline recording series pcap");
    CHECK(schema["properties"]["output"]["properties"]["flows"]["default"] == "off");
    CHECK(keys("network")["packet"]["properties"]["payload"]["default"] == "4 KiB");
    CHECK(keys("network")["dimensions"]["items"]["required"] ==
          nlohmann::json({"shape", "size", "bandwidth", "latency"}));
}
