// SPDX-License-Identifier: GPL-2.0-only
// Every way to get a configuration or a topology wrong, with the line that the user reads.
#include "cli/run-input.h"
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

struct Broken
{
    std::string yaml;
    std::string message; ///< the scratch directory's path taken out
};

const std::string WORKLOAD = "workload: {collective: {type: all-reduce, size: 1 MiB}}\n";
const std::string NETWORK =
    "network: {dimensions: [{shape: ring, size: 4, bandwidth: 62 GB/s, latency: 500 ns}]}\n";

std::string
MessageOf(const std::string& yaml)
{
    const ScratchDirectory scratch("config-errors");
    const auto file = scratch.Write("c.yaml", yaml);
    return scratch.WithoutPath(ConfigErrorText([&] { const RunInput input(file, {}); }));
}

void
CheckAll(const std::vector<Broken>& cases)
{
    for (const Broken& broken : cases)
    {
        CAPTURE(broken.yaml);
        CHECK(MessageOf(broken.yaml) == broken.message);
    }
}

/// One line of `network`, wrong.
std::string
WithDimension(const std::string& dimension)
{
    return WORKLOAD + "network:\n  dimensions:\n    - " + dimension + "\n";
}

std::string
WithPacket(const std::string& keys)
{
    return WORKLOAD +
           "network:\n"
           "  dimensions: [{shape: ring, size: 4, bandwidth: 62 GB/s, latency: 500 ns}]\n"
           "  packet: " +
           keys + "\n";
}

std::string
WithSystem(const std::string& keys)
{
    return WORKLOAD + NETWORK + "system: " + keys + "\n";
}

std::string
WithWorkload(const std::string& keys)
{
    return NETWORK + "workload: " + keys + "\n";
}

} // namespace

TEST_CASE("Configuration errors: what the file itself gets wrong", "[golden][cli]")
{
    CheckAll({
        {"workload: [1, 2", R"(c.yaml:1: not valid YAML: end of sequence flow not found)"},
        {"workload:\n\t- x\n", R"(c.yaml:2: not valid YAML: illegal block entry)"},
        {"- a\n- b\n",
         R"(c.yaml:1: is not a mapping; write keys of workload, system, network, )"
         R"(output, seed)"},
        {"", R"(c.yaml:1: key "workload" is missing: what every rank does)"},
        {WORKLOAD, R"(c.yaml:1: key "network" is missing: what connects the NPUs)"},
        {NETWORK, R"(c.yaml:1: key "workload" is missing: what every rank does)"},
        {WORKLOAD + WORKLOAD + NETWORK,
         R"(c.yaml:2: key "workload" is given twice, first in line 1; remove one)"},
        {WORKLOAD + NETWORK + "sede: 1\n", R"(c.yaml:3: sede: unknown key (did you mean seed?))"},
        {WORKLOAD + NETWORK + "seed: one\n",
         R"(c.yaml:3: seed: "one" is not valid; write a whole number from 0)"},
        {WORKLOAD + NETWORK + "seed: -1\n",
         R"(c.yaml:3: seed: "-1" is not valid; write a whole number from 0)"},
        {WORKLOAD + NETWORK + "output: {flow: on}\n",
         R"(c.yaml:3: output.flow: unknown key (did you mean flows?))"},
        {WORKLOAD + NETWORK + "output: {flows: often}\n",
         R"(c.yaml:3: output.flows: "often" is not valid; write on or off)"},
        {WORKLOAD + NETWORK + "output: {timeline: on}\n",
         R"(c.yaml:3: output.timeline: "on" is not available yet; write off)"},
        {WORKLOAD + NETWORK + "output: {series: 10 us}\n",
         R"(c.yaml:3: output.series: "10 us" is not available yet; write none)"},
        {WORKLOAD + NETWORK + "output: {series: often}\n",
         R"(c.yaml:3: output.series: "often" is not valid; write none)"},
        {WORKLOAD + "network: missing.yaml\n",
         R"(c.yaml:2: cannot read "missing.yaml": No such file or directory)"},
        {WORKLOAD + "network: c.yaml\n",
         R"(c.yaml:1: network.workload: unknown key; known: backend, dimensions, )"
         R"(topology, packet, ns3, faults, reroute-after)"},
        {WORKLOAD + NETWORK + "---\na: b\n",
         R"(c.yaml:4: a second YAML document begins; keep one to a file)"},
        {"workload: &a {collective: *a}\n" + NETWORK,
         R"(c.yaml:1: an alias stands inside its own anchor; write the values out)"},
        {"workload: {[a, b]: c}\n" + NETWORK,
         R"(c.yaml:1: a list or mapping cannot be a key; quote the key)"},
    });
}

TEST_CASE("Configuration errors: workload", "[golden][cli]")
{
    CheckAll({
        {WithWorkload("{}"),
         R"(c.yaml:2: workload: needs one of trace, collective, flows and generate)"},
        {WithWorkload("{ranks: 4}"),
         R"(c.yaml:2: workload: needs one of trace, collective, flows and generate)"},
        {WithWorkload("{trace: a.et, collective: {type: all-reduce, size: 1 B}}"),
         R"(c.yaml:2: workload.collective: cannot stand beside "trace"; keep one of )"
         R"(trace, collective, flows and generate)"},
        {WithWorkload("{trace: missing.et}"),
         R"(missing.et: there is no such trace file; files are named by rank, from )"
         R"(0, as in "mlp.{rank}.et")"},
        {WithWorkload("{trace: \"missing.{rank}.et\"}"),
         R"(missing.{rank}.et: there is no trace file for rank 0; files are named by )"
         R"(rank, from 0, as in "mlp.{rank}.et")"},
        {WithWorkload("{trace: }"), R"(c.yaml:2: workload.trace: has no value; write a path)"},
        {WithWorkload("{trace: [a, b]}"), R"(c.yaml:2: workload.trace: is a list; write a path)"},
        {WithWorkload("{generate: {model: transformer}}"),
         R"(c.yaml:2: workload.generate: is not available yet; write trace, )"
         R"(collective or flows)"},
        {WithWorkload("{collective: {type: allreduce, size: 1 MiB}}"),
         R"(c.yaml:2: workload.collective.type: "allreduce" is not valid; write )"
         R"(all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, reduce, )"
         R"(gather, scatter or barrier)"},
        {WithWorkload("{collective: {type: all-reduce}}"),
         R"(c.yaml:2: workload.collective: key "size" is missing; write a size such )"
         R"(as 64 MiB)"},
        {WithWorkload("{collective: {size: 1 MiB}}"),
         R"(c.yaml:2: workload.collective: key "type" is missing: which collective)"},
        {WithWorkload("{collective: {type: all-reduce, size: 1048576}}"),
         R"(c.yaml:2: workload.collective.size: "1048576" has no unit; write )"
         R"("1048576 B" or "1048576 KiB")"},
        {WithWorkload("{collective: {type: all-reduce, size: 1 MiB, repeat: 0}}"),
         R"(c.yaml:2: workload.collective.repeat: "0" is not valid; write a whole )"
         R"(number from 1 to 4294967295)"},
        {WithWorkload("{collective: {type: all-reduce, size: 1 MiB, size-means: all}}"),
         R"(c.yaml:2: workload.collective.size-means: "all" is not valid; write )"
         R"(shard or total)"},
        {WithWorkload("{collective: []}"),
         R"(c.yaml:2: workload.collective: is empty; write at least one collective)"},
        {WithWorkload("{collective: {parallel: {type: barrier}}}"),
         R"(c.yaml:2: workload.collective.parallel: is not a list; write a list of )"
         R"(collectives)"},
        {WithWorkload("{collective: {parallel: [], type: barrier}}"),
         R"(c.yaml:2: workload.collective.type: unknown key; known: parallel)"},
        {WithWorkload("{collective: {type: barrier}, ranks: 5}"),
         R"(c.yaml:2: the workload has 5 ranks, but the network (c.yaml:1) has 4 )"
         R"(NPUs; write a larger network or fewer "ranks")"},
        {WithWorkload("{collective: {type: barrier}, ranks: 0}"),
         R"(c.yaml:2: workload.ranks: "0" is not valid; write a whole number from 1 )"
         R"(to 4294967295)"},
        {WithWorkload("{collective: {type: barrier}, dependencies: data}"),
         R"(c.yaml:2: workload.dependencies: is for traces; remove it, or write "trace")"},
        {WithWorkload("{collective: {type: barrier}, element-size: 2 B}"),
         R"(c.yaml:2: workload.element-size: is for traces; remove it, or write "trace")"},
        {WithWorkload("{trace: a.et, element-size: 8 GiB}"),
         R"(c.yaml:2: workload.element-size: "8 GiB" is too large; write the size of )"
         R"(a number, such as 2 B)"},
        {WithWorkload("{flows: [{src: 0, dst: 0, size: 1 KB}]}"),
         R"(c.yaml:2: workload.flows[0]: rank 0 sends to itself; src and dst must differ)"},
        {WithWorkload("{flows: [{src: 0, dst: 9, size: 1 KB}]}"),
         R"(c.yaml:2: flow 0 names rank 9; the ranks are 0 to 3)"},
        {WithWorkload("{flows: [{src: 0, size: 1 KB}]}"),
         R"(c.yaml:2: workload.flows[0]: key "dst" is missing: the rank that receives)"},
        {WithWorkload("{flows: {src: 0, dst: 1, size: 1 KB}}"),
         R"(c.yaml:2: workload.flows: is not a list; write a list of flows)"},
    });
}

TEST_CASE("Configuration errors: system", "[golden][cli]")
{
    CheckAll({
        {WithSystem("{chunk: 4}"), R"(c.yaml:3: system.chunk: unknown key (did you mean chunks?))"},
        {WithSystem("{chunks: 0}"),
         R"(c.yaml:3: system.chunks: "0" is not valid; write a whole number from 1 )"
         R"(to 4294967295)"},
        {WithSystem("{chunks: 1.5}"),
         R"(c.yaml:3: system.chunks: "1.5" is not valid; write a whole number from 1 )"
         R"(to 4294967295)"},
        {WithSystem("{collectives: ring}"),
         R"(c.yaml:3: system.collectives: is not a mapping; write keys of )"
         R"(all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, reduce, )"
         R"(gather, scatter, barrier)"},
        {WithSystem("{collectives: {allreduce: ring}}"),
         R"(c.yaml:3: system.collectives.allreduce: unknown key (did you mean all-reduce?))"},
        {WithSystem("{collectives: {all-reduce: rign}}"),
         R"(c.yaml:3: system.collectives.all-reduce: "rign" is not valid; write )"
         R"(bidirectional-ring, direct, double-binary-tree, halving-doubling or ring)"},
        {WithSystem("{collectives: {all-to-all: halving-doubling}}"),
         R"(c.yaml:3: system.collectives.all-to-all: halving-doubling does not exist )"
         R"(for all-to-all; write bidirectional-ring, direct or ring)"},
        {WithSystem("{collectives: {all-reduce: [ring, ring]}}"),
         R"(c.yaml:3: system.collectives.all-reduce: lists 2 algorithms for a stack )"
         R"(of 1; write one for each dimension, or one name for all)"},
        {WithSystem("{collectives: {all-reduce: {nam: ring}}}"),
         R"(c.yaml:3: system.collectives.all-reduce: key "name" is missing; write )"
         R"({name: ring} or {flat: ring})"},
        {WithSystem("{collectives: {all-reduce: {name: ring, slize: 1 KiB}}}"),
         R"(c.yaml:3: system.collectives.all-reduce: unknown parameter "slize" (did )"
         R"(you mean slice?))"},
        {WithSystem("{collectives: {all-reduce: {name: ring, slice: 1}}}"),
         R"(c.yaml:3: system.collectives.all-reduce: slice: "1" has no unit; write )"
         R"("1 B" or "1 KiB")"},
        {WithSystem("{collectives: {all-reduce: {flat: ring, name: ring}}}"),
         R"(c.yaml:3: system.collectives.all-reduce.flat: stands alone; write {flat: )"
         R"(ring} or {flat: {name: ring}})"},
        {WithSystem("{hierarchy: none}"),
         R"(c.yaml:3: system.hierarchy: "none" is not valid; write scatter-gather or )"
         R"(per-dimension)"},
        {WithSystem("{inter-dimension: thermis}"),
         R"(c.yaml:3: system.inter-dimension: "thermis" is not valid; write baseline )"
         R"(or themis)"},
        {WithSystem("{intra-dimension: largest-first}"),
         R"(c.yaml:3: system.intra-dimension: "largest-first" is not valid; write )"
         R"(fifo, lifo or smallest-first)"},
        {WithSystem("{endpoint-delay: 10}"),
         R"(c.yaml:3: system.endpoint-delay: "10" has no unit; write "10 ns" or "10 us")"},
        {WithSystem("{reduction-bandwidth: fast}"),
         R"(c.yaml:3: system.reduction-bandwidth: "fast" is not a number and a unit; )"
         R"(write "1 GB/s" or "1 Gb/s")"},
        {WithSystem("{dimensions: [2, 2]}"),
         R"(c.yaml:3: system.dimensions: is for topologies without dimensions; )"
         R"(remove it: the stack is network.dimensions)"},
        {WithSystem("{compute: {model: roofline, peak: 1 TFLOP/s}}"),
         R"(c.yaml:3: system.compute: key "memory-bandwidth" is missing; a roofline )"
         R"(is {model: roofline, peak: 312 TFLOP/s, memory-bandwidth: 2 TB/s})"},
        {WithSystem("{compute: {peak: 1 TFLOP/s}}"),
         R"(c.yaml:3: system.compute.peak: is of the roofline; add "model: roofline" )"
         R"(or remove it)"},
        {WithSystem("{compute: {scale: 0}}"),
         R"(c.yaml:3: system.compute.scale: "0" is not valid; write a number above )"
         R"(0, such as 1.2)"},
        {WithSystem("{compute: {per-rank: {four: 2}}}"),
         R"(c.yaml:3: system.compute.per-rank.four: "four" is not a rank; write {3: 1.2})"},
        {WithSystem("{compute: {per-rank: {4: 2}}}"),
         R"(c.yaml: system.compute.per-rank: there is no rank 4; write ranks below 4)"},
        {WithSystem("{memory: {local: {bandwidth: 0 GB/s}}}"),
         R"(c.yaml:3: system.memory.local.bandwidth: "0 GB/s" is zero, so nothing )"
         R"(would ever end; write "1 GB/s" or "1 Gb/s")"},
        {WithSystem("{memory: {remote: {shared: node}}}"),
         R"(c.yaml:3: system.memory.remote: key "ranks-per-node" is missing; write )"
         R"({shared: node, ranks-per-node: 8})"},
        {WithSystem("{memory: {remote: {ranks-per-node: 8}}}"),
         R"(c.yaml:3: system.memory.remote.ranks-per-node: is of "shared: node"; add )"
         R"(that or remove it)"},
        {WithSystem("{memory: {remote: {shared: some}}}"),
         R"(c.yaml:3: system.memory.remote.shared: "some" is not valid; write no, )"
         R"(node or all)"},
    });
}

TEST_CASE("Configuration errors: network", "[golden][cli]")
{
    CheckAll({
        {WORKLOAD + "network: {}\n", R"(c.yaml:2: network: needs one of dimensions and topology)"},
        {WORKLOAD + "network: {dimensions: []}\n",
         R"(c.yaml:2: network.dimensions: is empty; write at least one {shape, size, )"
         R"(bandwidth, latency})"},
        {WORKLOAD + "network: {dimensions: {shape: ring}}\n",
         R"(c.yaml:2: network.dimensions: is not a list; write a list of {shape, )"
         R"(size, bandwidth, latency})"},
        {WithDimension("{shape: rong, size: 4, bandwidth: 62 GB/s, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0].shape: "rong" is not valid; write )"
         R"(fully-connected, mesh, ring or switch)"},
        {WithDimension("{shape: ring, bandwidth: 62 GB/s, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0]: key "size" is missing: NPUs along it)"},
        {WithDimension("{shape: ring, size: 0, bandwidth: 62 GB/s, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0].size: "0" is not valid; write a whole )"
         R"(number from 1 to 4294967295)"},
        {WithDimension("{shape: ring, size: 4, bandwidth: 62, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0].bandwidth: "62" has no unit; write "62 )"
         R"(GB/s" or "62 Gb/s")"},
        {WithDimension("{shape: ring, size: 4, bandwidth: 62 ns, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0].bandwidth: "62 ns" is a time, not a )"
         R"(bandwidth; write "62 GB/s" or "62 Gb/s")"},
        {WithDimension("{shape: ring, size: 4, bandwith: 62 GB/s, latency: 500 ns}"),
         R"(c.yaml:4: network.dimensions[0].bandwith: unknown key (did you mean )"
         R"(bandwidth?))"},
        {WithDimension("{shape: ring, size: 4, bandwidth: 62 GB/s, latency: -1 ns}"),
         R"(c.yaml:4: network.dimensions[0].latency: "-1 ns" is negative; write "1 )"
         R"(ns" or "1 us")"},
        {WithDimension("{shape: ring, size: 4294967295, bandwidth: 62 GB/s, latency: 1 ns}"),
         R"(c.yaml:4: network.dimensions: more than 16777216 NPUs; write smaller sizes)"},
        {WithPacket("{payload: 0 B}"),
         R"(c.yaml:4: network.packet.payload: must not be 0; write a size such as 4 KiB)"},
        {WithPacket("{payload: 4096}"),
         R"(c.yaml:4: network.packet.payload: "4096" has no unit; write "4096 B" or )"
         R"("4096 KiB")"},
        {WithPacket("{acknowledge: sometimes}"),
         R"(c.yaml:4: network.packet.acknowledge: "sometimes" is not valid; write )"
         R"(auto, message, frame or a number such as "4 frames")"},
        {WithPacket("{acknowledge: 4}"),
         R"(c.yaml:4: network.packet.acknowledge: "4" is not valid; write auto, )"
         R"(message, frame or a number such as "4 frames")"},
        {WithPacket("{trains: maybe}"),
         R"(c.yaml:4: network.packet.trains: "maybe" is not valid; write on or off)"},
        {WithPacket("{congestion-control: dcqcn}"),
         R"(c.yaml:4: network.packet.congestion-control: "dcqcn" is not available )"
         R"(yet; write none)"},
        {WithPacket("{congestion-control: dqcn}"),
         R"(c.yaml:4: network.packet.congestion-control: "dqcn" is not valid; write )"
         R"(none, dcqcn, hpcc, timely, swift or dctcp)"},
        {WithPacket("{congestion-control: {name: hpcc, eta: 0.95}}"),
         R"(c.yaml:4: network.packet.congestion-control: is not available yet; write none)"},
        {WithPacket("{window: bdp}"),
         R"(c.yaml:4: network.packet.window: "bdp" is not available yet; write none)"},
        {WithPacket("{window: 1}"),
         R"(c.yaml:4: network.packet.window: "1" has no unit; write "1 B" or "1 KiB")"},
        {WithPacket("{pfc: on}"),
         R"(c.yaml:4: network.packet.pfc: "on" is not available yet; write off)"},
        {WithPacket("{pfc: {alfa: 1/8}}"),
         R"(c.yaml:4: network.packet.pfc.alfa: unknown key (did you mean alpha?))"},
        {WithPacket("{ecn: {min: 400 KB, max: 1600 KB, probability: 0.2}}"),
         R"(c.yaml:4: network.packet.ecn: is not available yet; write off)"},
        {WithPacket("{ecn: on}"), R"(c.yaml:4: network.packet.ecn: "on" is not valid; write off)"},
        {WithPacket("{buffer: 32 MiB}"),
         R"(c.yaml:4: network.packet.buffer: "32 MiB" is not available yet; write )"
         R"(unlimited)"},
        {WithPacket("{load-balancing: spray}"),
         R"(c.yaml:4: network.packet.load-balancing: "spray" is not available yet; )"
         R"(write ecmp)"},
        {WithPacket("{switching: cut-through}"),
         R"(c.yaml:4: network.packet.switching: "cut-through" is not available yet; )"
         R"(write store-and-forward)"},
        {WithPacket("{loss-recovery: selective}"),
         R"(c.yaml:4: network.packet.loss-recovery: "selective" is not available )"
         R"(yet; write go-back-n)"},
        {WithPacket("{retransmit-timeout: 1 ms}"),
         R"(c.yaml:4: network.packet.retransmit-timeout: "1 ms" is not available )"
         R"(yet; write auto)"},
        {NETWORK.substr(0, NETWORK.size() - 2) + ", backend: flow}\n" + WORKLOAD,
         R"(c.yaml:1: network.backend: "flow" is not available yet; write packet)"},
        {NETWORK.substr(0, NETWORK.size() - 2) + ", backend: fluid}\n" + WORKLOAD,
         R"(c.yaml:1: network.backend: "fluid" is not valid; write analytical, flow )"
         R"(or packet)"},
        {NETWORK.substr(0, NETWORK.size() - 2) + ", reroute-after: 2 ms}\n" + WORKLOAD,
         R"(c.yaml:1: network.reroute-after: "2 ms" is not available yet; write 1 ms)"},
        {NETWORK.substr(0, NETWORK.size() - 2) + ", ns3: {a: b}}\n" + WORKLOAD,
         R"(c.yaml:1: network.ns3: is not available yet; write {})"},
        {NETWORK.substr(0, NETWORK.size() - 2) + ", faults: [{at: 5 us}]}\n" + WORKLOAD,
         R"(c.yaml:1: network.faults: is not available yet; write [])"},
        {NETWORK.substr(0, NETWORK.size() - 2) + ", topology: {file: t.yaml}}\n" + WORKLOAD,
         R"(c.yaml:1: network.topology: cannot stand beside "dimensions"; keep one )"
         R"(of dimensions and topology)"},
        {WORKLOAD + "network: {topology: {file: t.yaml}}\n",
         R"(c.yaml:2: cannot read "t.yaml": No such file or directory)"},
        {WORKLOAD + "network: {topology: {generator: fat-tree, npus: 64}}\n",
         R"(c.yaml:2: network.topology.generator: "fat-tree" is not available yet; )"
         R"(write {file: PATH} or network.dimensions)"},
        {WORKLOAD + "network: {topology: {generator: fat-tee, npus: 64}}\n",
         R"(c.yaml:2: network.topology.generator: "fat-tee" is not valid; write )"
         R"(dragonfly, fat-tree, leaf-spine or rail)"},
        {WORKLOAD + "network: {topology: t.yaml}\n",
         R"(c.yaml:2: network.topology: is not a mapping; write keys of file)"},
    });
}

TEST_CASE("Configuration: an algorithm that cannot scatter is refused in a stack", "[golden][cli]")
{
    const auto yaml = [](const std::string& system)
    {
        return WORKLOAD + "system: " + system +
               "\nnetwork:\n  dimensions:\n"
               "    - {shape: switch, size: 4, bandwidth: 62 GB/s, latency: 500 ns}\n"
               "    - {shape: switch, size: 2, bandwidth: 62 GB/s, latency: 500 ns}\n";
    };
    const std::string refusal =
        "c.yaml:2: system.collectives.all-reduce: double-binary-tree cannot scatter and gather "
        "along dimension 0 of the stack; write bidirectional-ring, direct, halving-doubling or "
        "ring, {flat: double-binary-tree}, or hierarchy: per-dimension";
    CheckAll({
        {yaml("{collectives: {all-reduce: double-binary-tree}}"), refusal},
        {yaml("{collectives: {all-reduce: [double-binary-tree, ring]}}"), refusal},
    });
    for (const char* system :
         {"{collectives: {all-reduce: [ring, double-binary-tree]}}",
          "{collectives: {all-reduce: {flat: double-binary-tree}}}",
          "{collectives: {all-reduce: double-binary-tree}, hierarchy: per-dimension}"})
    {
        CAPTURE(system);
        const ScratchDirectory scratch("config-errors");
        const auto file = scratch.Write("c.yaml", yaml(system));
        CHECK_NOTHROW(RunInput(file, {}));
    }
}

TEST_CASE("Configuration: a parameter that an algorithm refuses names its place", "[golden][cli]")
{
    CheckAll({{WORKLOAD + NETWORK +
                   "system: {collectives: {all-reduce: {name: double-binary-tree, slice: 0 B}}}\n",
               "c.yaml:3: system.collectives.all-reduce: slice: 0 B cuts nothing; write at least "
               "1 B, such as 128 KiB"}});
}
