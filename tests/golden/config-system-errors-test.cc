// SPDX-License-Identifier: GPL-2.0-only
// Every way to get `system` wrong, with the line that the user reads.
#include "common/text.h"
#include "system/collective-plan.h"
#include "tests/support/config-cases.h"

using namespace nadi;
using namespace nadi::test;

TEST_CASE("Configuration errors: system", "[golden][cli]")
{
    CheckAll({
        {WithSystem("{chunk: 4}"), R"(c.yaml:3: system.chunk: unknown key (did you mean chunks?))"},
        {WithSystem("{chunks: 0}"),
         R"(c.yaml:3: system.chunks: "0" is not valid; write a whole number from 1 )"
         R"(to 65536, or auto)"},
        {WithSystem("{chunks: 2147483648}"),
         R"(c.yaml:3: system.chunks: "2147483648" is not valid; write a whole number )"
         R"(from 1 to 65536, or auto)"},
        {WithSystem("{chunks: 1.5}"),
         R"(c.yaml:3: system.chunks: "1.5" is not valid; write a whole number from 1 )"
         R"(to 65536, or auto)"},
        {WithSystem("{collectives: ring}"),
         R"(c.yaml:3: system.collectives: is not a mapping; write keys of )"
         R"(all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, reduce, )"
         R"(gather, scatter, barrier, per-node)"},
        {WithSystem("{collectives: {allreduce: ring}}"),
         R"(c.yaml:3: system.collectives.allreduce: unknown key (did you mean all-reduce?))"},
        {WithSystem("{collectives: {all-reduce: rign}}"),
         R"(c.yaml:3: system.collectives.all-reduce: "rign" is not valid; write )" +
             JoinWithOr(AlgorithmsFor(CollectiveType::AllReduce))},
        {WithSystem("{collectives: {all-reduce: auto}}"),
         R"(c.yaml:3: system.collectives.all-reduce: "auto" is not valid; write )" +
             JoinWithOr(AlgorithmsFor(CollectiveType::AllReduce))},
        {WithSystem("{collectives: {all-to-all: halving-doubling}}"),
         R"(c.yaml:3: system.collectives.all-to-all: halving-doubling does not exist )"
         R"(for all-to-all; write )" +
             JoinWithOr(AlgorithmsFor(CollectiveType::AllToAll))},
        {WithSystem("{collectives: {all-reduce: [ring, ring]}}"),
         R"(c.yaml:3: system.collectives.all-reduce: lists 2 algorithms for a stack )"
         R"(of 1; write one for each dimension, or one name for all)"},
        {WithSystem("{collectives: {all-reduce: {nam: ring}}}"),
         R"(c.yaml:3: system.collectives.all-reduce: key "name" is missing; write )"
         R"({name: ring}, {flat: ring} or {from: FILE})"},
        {WithSystem("{collectives: {all-reduce: {name: ring, slize: 1 KiB}}}"),
         R"(c.yaml:3: system.collectives.all-reduce.slize: unknown key (did )"
         R"(you mean slice?))"},
        {WithSystem("{collectives: {all-reduce: {name: ring, slice: 1}}}"),
         R"(c.yaml:3: system.collectives.all-reduce.slice: "1" has no unit; write )"
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
         R"(write "1 GB/s" or "1 Gb/s", or none)"},
        {WithSystem("{dimensions: [2, 2]}"),
         R"(c.yaml:3: system.dimensions: is for topologies without dimensions; )"
         R"(remove it: the stack is network.dimensions)"},
        {WithSystem("{compute: {model: roofline, peak: 1 TFLOP/s}}"),
         R"(c.yaml:3: system.compute: key "memory-bandwidth" is missing; a roofline )"
         R"(is {model: roofline, peak: 312 TFLOP/s, memory-bandwidth: 2 TB/s})"},
        {WithSystem("{compute: {peak: 1 TFLOP/s}}"),
         R"(c.yaml:3: system.compute.peak: is of the roofline; add "model: roofline" )"
         R"(or remove it)"},
        {WithSystem("{compute: {efficiency: {gemm: 0.7}}}"),
         R"(c.yaml:3: system.compute.efficiency: is of the roofline; add "model: roofline" )"
         R"(or remove it)"},
        {WithSystem("{compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 1 TB/s, "
                    "efficiency: {gemm: 70}}}"),
         R"(c.yaml:3: system.compute.efficiency.gemm: "70" is above 1; write a share of the )"
         R"(rate, such as 0.7)"},
        {WithSystem("{compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 1 TB/s, "
                    "outside: roofline}}"),
         R"(c.yaml:3: system.compute.outside: says what happens outside a table; add )"
         R"("kernels: FILE" or remove it)"},
        {WithSystem("{compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 1 TB/s, "
                    "kernels: no.csv}}"),
         "no.csv: cannot be read; name a file that exists, no folder, pipe or device"},
        {WithWorkload("{generate: {model: mlp, batch: 8}, what-if: {speed: {layer: 2}}}") +
             "system: {compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 1 TB/s, "
             "kernels: k.csv}}\n",
         "c.yaml:2: workload.what-if.speed: divides operations and bytes, but "
         "system.compute.kernels times kernels by their sizes; remove speed and write the faster "
         "times into that table, or remove the table"},
        {WithSystem("{compute: {scale: 0}}"),
         R"(c.yaml:3: system.compute.scale: "0" is not valid; write a number above )"
         R"(0, such as 1.2)"},
        {WithSystem("{compute: {per-rank: {four: 2}}}"),
         R"(c.yaml:3: system.compute.per-rank.four: "four" is not a rank; write {3: 1.2})"},
        {WORKLOAD + "network: {dimensions: [{shape: ring, size: 1024, bandwidth: 50 GB/s, "
                    "latency: 1 us}]}\nsystem: {chunks: 65536, chunks-in-flight: 10000}\n",
         R"(system.chunks-in-flight: 10000 chunks on each of 1024 ranks would be under way at )"
         R"(once, more than 8388608 in all; write less, or fewer chunks)"},
        {WithSystem("{compute: {per-rank: {3: 2, 03: 3}}}"),
         R"(c.yaml:3: system.compute.per-rank.03: rank 3 is given twice; remove one)"},
        {WithSystem("{compute: {per-rank: {4: 2}}}"),
         R"(c.yaml:3: system.compute.per-rank: there is no rank 4; write ranks below 4)"},
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
        "along dimension 0 of the stack; write " +
        JoinWithOr(AlgorithmsFor(CollectiveType::ReduceScatter)) +
        ", {flat: double-binary-tree}, or hierarchy: per-dimension";
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

TEST_CASE("Configuration: along a dimension of one member nothing is scattered", "[golden][cli]")
{
    const auto yaml = [](const std::string& system, const std::string& sizes)
    {
        return WORKLOAD + "system: {collectives: {all-reduce: " + system + "}, dimensions: [" +
               sizes +
               "]}\nnetwork: {topology: {generator: leaf-spine, npus: 8, npus-per-leaf: 8,\n"
               "  spines: 0, link: {bandwidth: 400 Gb/s, latency: 500 ns}}}\n";
    };
    for (const char* sizes : {"8, 1", "1, 8", "1, 8, 1"})
    {
        CAPTURE(sizes);
        const ScratchDirectory scratch("config-errors");
        CHECK_NOTHROW(RunInput(scratch.Write("c.yaml", yaml("double-binary-tree", sizes)), {}));
    }
    CheckAll({{yaml("double-binary-tree", "1, 4, 2"),
               "c.yaml:2: system.collectives.all-reduce: double-binary-tree cannot scatter and "
               "gather along dimension 1 of the stack; write " +
                   JoinWithOr(AlgorithmsFor(CollectiveType::ReduceScatter)) +
                   ", {flat: double-binary-tree}, or hierarchy: per-dimension"}});
}

TEST_CASE("Configuration: the ranks of one node have no dimension between nodes", "[golden][cli]")
{
    const auto yaml = [](uint32_t ranks)
    {
        return fmt::format(
            "workload: {{ranks: {}, collective: {{type: all-reduce, size: 1 MiB}}}}\n"
            "system: {{collectives: {{all-reduce: double-binary-tree}}}}\n"
            "network: {{topology: {{generator: nodes, nodes: 2, npus-per-node: 8, spines: 0,\n"
            "  nic: {{bandwidth: 100 Gb/s, latency: 500 ns}},\n"
            "  nvlink: {{bandwidth: 100 GB/s, latency: 500 ns}}}}}}\n",
            ranks);
    };
    for (const uint32_t ranks : {4U, 8U, 12U})
    {
        CAPTURE(ranks);
        const ScratchDirectory scratch("config-errors");
        CHECK_NOTHROW(RunInput(scratch.Write("c.yaml", yaml(ranks)), {}));
    }
    const ScratchDirectory scratch("config-errors");
    const auto file = scratch.Write("c.yaml", yaml(16));
    CHECK_THROWS_AS(RunInput(file, {}), ConfigError);
    // As many ranks as a node has NPUs, on halves of two nodes.
    const auto halves = scratch.Write("c.yaml", yaml(8));
    CHECK_THROWS_AS(RunInput(halves, {"workload.placement=[0, 1, 2, 3, 8, 9, 10, 11]"}),
                    ConfigError);
}

TEST_CASE("Configuration: a parameter that an algorithm refuses names its place", "[golden][cli]")
{
    CheckAll({{WORKLOAD + NETWORK +
                   "system: {collectives: {all-reduce: {name: double-binary-tree, slice: 0 B}}}\n",
               "c.yaml:3: system.collectives.all-reduce.slice: 0 B cuts nothing; write at least "
               "1 B, such as 128 KiB"}});
}
