// SPDX-License-Identifier: GPL-2.0-only
// Keys of communication libraries that had no effect: each job also runs without them.
#include "simulation/simulate.h"
#include "tests/support/run-notes.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

struct LibraryJob
{
    std::string keys;       ///< of system.library, each after ", "
    std::string collective; ///< what stands in workload
    uint32_t nodes = 2;
    std::string network = {}; ///< more keys, each after ", "
    std::string library = "nccl";
};

RunResults
RunLibrary(const LibraryJob& job)
{
    const ScratchDirectory scratch("library-keys");
    const RunInput input(
        scratch.Write(
            "c.yaml",
            fmt::format("workload: {{{}}}\n"
                        "system: {{library: {{name: {}{}}}}}\n"
                        "network: {{backend: analytical, topology: {{generator: rail, nodes: {}, "
                        "npus-per-node: 8, spines: 1, nvlink: {{bandwidth: 450 GB/s, latency: 500 "
                        "ns}}, nic: {{bandwidth: 50 GB/s, latency: 1 us}}}}{}}}\n",
                        job.collective,
                        job.library,
                        job.keys,
                        job.nodes,
                        job.network)),
        {});
    return Simulate(input);
}

const std::string ALL_REDUCE = "collective: {type: all-reduce, size: 1 MiB}";
const std::string ALL_GATHER = "collective: {type: all-gather, size: 1 MiB}";
const std::string ALL_TO_ALL = "collective: {type: all-to-all, size: 1 MiB}";
const std::string FLOWS = "flows: [{src: 0, dst: 1, size: 1 MiB}, {src: 0, dst: 9, size: 1 MiB}]";

} // namespace

TEST_CASE("FindIdleLibraryKeys: keys for what never ran are told, and change nothing",
          "[unit][simulation]")
{
    const std::vector<std::pair<LibraryJob, std::string>> idle{
        {{", algorithm: tree", ALL_GATHER},
         "no all-reduce of several ranks ran; system.library.algorithm had no effect"},
        {{", protocol: LL", ALL_TO_ALL},
         "no all-reduce, all-gather, reduce-scatter, broadcast or reduce of several ranks ran; "
         "system.library.protocol had no effect"},
        {{", protocol: LL, least-channels: 8", FLOWS},
         "no all-reduce, all-gather, reduce-scatter, broadcast or reduce of several ranks ran; "
         "these keys of system.library had no effect: protocol, least-channels"},
        {{", calls: back-to-back", ALL_REDUCE},
         "no broadcast or reduce of several ranks ran; system.library.calls had no effect"},
        {{", pxn: off", ALL_GATHER},
         "no all-to-all of several ranks ran; system.library.pxn had no effect"},
        {{", pxn: off, net-pair: 9 us", ALL_TO_ALL, 1},
         "the network has one node; these keys of system.library had no effect: pxn, net-pair"},
        {{", blocking-floor: 900 us", ALL_REDUCE},
         "blocking is off; system.library.blocking-floor had no effect"},
        {{", launch-of-each: 900 us", ALL_REDUCE},
         "launch is process-per-gpu; system.library.launch-of-each had no effect"},
    };
    for (const auto& [job, warning] : idle)
    {
        CAPTURE(job.keys, job.collective);
        const RunResults with = RunLibrary(job);
        CHECK(with.warnings == Sentences{warning});
        LibraryJob without = job;
        without.keys.clear();
        CHECK(with.digest == RunLibrary(without).digest);
    }
}

TEST_CASE("FindIdleLibraryKeys: floors of launches and of blocking calls, the longer one acts",
          "[unit][simulation]")
{
    const auto warnings = [](const std::string& keys) {
        return RunLibrary({", " + keys, ALL_REDUCE}).warnings;
    };
    CHECK(warnings("blocking: on, blocking-floor: 900 us, launch-floor: 100 us") ==
          Sentences{"blocking is on, and its floor is no shorter than any launch; "
                    "system.library.launch-floor had no effect"});
    CHECK(warnings("blocking: on, blocking-floor: 100 us, launch-floor: 900 us") ==
          Sentences{"the launch takes longer than the floor of blocking calls; these keys of "
                    "system.library had no effect: blocking, blocking-floor"});
    // Eight GPUs of a node are launched in 72 us, and in 720 us.
    CHECK(warnings("blocking: on, blocking-floor: 100 us, launch: process-per-node, "
                   "launch-of-each: 9 us, p2p-launch-of-each: 9 us") ==
          Sentences{"blocking is on, and its floor is no shorter than any launch; these keys of "
                    "system.library had no effect: launch-of-each, p2p-launch-of-each"});
    CHECK(warnings("blocking: on, blocking-floor: 100 us, launch: process-per-node, "
                   "launch-of-each: 90 us")
              .empty());
}

TEST_CASE("FindIdleLibraryKeys: a release that is newer than all that are known is told",
          "[unit][simulation]")
{
    const auto warnings = [](const std::string& release) {
        return RunLibrary({", release: \"" + release + "\"", ALL_REDUCE}).warnings;
    };
    CHECK(warnings("2.29.7").empty());
    CHECK(warnings("2.45") ==
          Sentences{"system.library.release 2.45 is newer than the newest that is known, 2.29; the "
                    "constants of 2.29 are taken"});
}

TEST_CASE("FindIdleLibraryKeys: hops shorter than the network are told", "[unit][simulation]")
{
    const auto warnings = [](const std::string& keys, uint32_t nodes = 2) {
        return RunLibrary({", " + keys, ALL_REDUCE, nodes}).warnings;
    };
    CHECK(warnings("protocol: LL, net-hop-ll: 0.5 us") ==
          Sentences{"system.library.net-hop-ll is shorter than the way of a message between nodes "
                    "(2 us); such a hop takes as long as the way"});
    CHECK(warnings("hop-ll: 1 ns, tree-hop-ll: 1 ns", 1) ==
          Sentences{"system.library.hop-ll, system.library.tree-hop-ll are shorter than the way of "
                    "a message inside a node (1 us); such a hop takes as long as the way"});
    // 0 stands for a hop that adds nothing, and hops of presets are not the user's.
    CHECK(warnings("net-hop-ll: 0 us").empty());
    CHECK(warnings("protocol: LL, transport: ib").empty());
    CHECK(warnings("net-hop-ll: 3 us").empty());
}

TEST_CASE("FindIdleLibraryKeys: keys that the scripts of msccl leave unused are told",
          "[unit][simulation]")
{
    const auto warnings = [](const std::string& keys, const std::string& job, uint32_t nodes = 1)
    {
        return RunLibrary({", protocol: LL, " + keys, job, nodes, ", in-network: off", "msccl"})
            .warnings;
    };
    CHECK(warnings("script: allpair, channels: 4", ALL_REDUCE) ==
          Sentences{"script is allpair; system.library.channels had no effect"});
    CHECK(warnings("algorithm: tree", ALL_REDUCE) ==
          Sentences{"all all-reduces ran as the script says; system.library.algorithm had no "
                    "effect"});
    CHECK(
        warnings("least-channels: 8", ALL_GATHER) ==
        Sentences{"all that could run as the script says did, and no reduce-scatter, broadcast or "
                  "reduce ran; system.library.least-channels had no effect"});
    CHECK(warnings("script: allpair, instances: 4", ALL_GATHER, 2) ==
          Sentences{"no all-reduce or all-gather ran as a script says, which takes ranks of one "
                    "node; these keys of system.library had no effect: script, instances"});
    CHECK(
        warnings("preset: h100", ALL_REDUCE) ==
        Sentences{"scripts of msccl have the times and rates that were measured on MI300X; of "
                  "system.library.preset: h100 they take only launch, drift and limits of links"});

    CHECK(warnings("script: allpair, instances: 4", ALL_REDUCE).empty());
    CHECK(warnings("script: ring, channels: 4", ALL_GATHER).empty());
    CHECK(warnings("algorithm: tree", ALL_REDUCE, 2).empty());
    CHECK(warnings("launch-floor: 900 us", ALL_REDUCE).empty());
    CHECK(warnings("preset: h100", ALL_TO_ALL).empty());
}

TEST_CASE("FindIdleLibraryKeys: keys that act are not told", "[unit][simulation]")
{
    const std::string broadcast = "collective: {type: broadcast, size: 1 MiB}";
    const std::vector<LibraryJob> acting{
        {", algorithm: tree, protocol: LL", ALL_REDUCE},
        {", calls: back-to-back", broadcast},
        {", pxn: off", ALL_TO_ALL},
        {", net-hop-ll: 900 us, net-hop-ll128: 900 us, net-hop-simple: 900 us", ALL_GATHER},
        {", blocking: on, blocking-floor: 900 us", ALL_REDUCE},
        {", launch: process-per-node, launch-of-each: 900 us", ALL_REDUCE},
        {", launch-floor: 900 us", ALL_REDUCE},
        {", blocking: on, blocking-floor: 900 us", FLOWS},
    };
    for (const LibraryJob& job : acting)
    {
        CAPTURE(job.keys);
        const RunResults with = RunLibrary(job);
        CHECK(with.warnings.empty());
        LibraryJob without = job;
        without.keys.clear();
        CHECK(with.finish != RunLibrary(without).finish);
    }
    // What describes a machine is not judged.
    CHECK(RunLibrary({", transport: ib-ndr, nic-path: c2c, cpu: amd", ALL_REDUCE, 1})
              .warnings.empty());
}

TEST_CASE("FindSystemWarnings: without NVLS, switches that compute may still change what NCCL runs",
          "[unit][simulation]")
{
    // The switches of rails compute, and those of nodes do not, so NVLS is not to be had.
    const std::string large = "collective: {type: all-reduce, size: 64 MiB}";
    const RunResults plain = RunLibrary({"", large, 1});
    const RunResults rails = RunLibrary({"", large, 1, ", in-network: {switches: [\"rail*\"]}"});
    CHECK(plain.finish != rails.finish);
    CHECK(rails.warnings ==
          Sentences{"no switch computed anything: no collective ran NVLS. With network.in-network, "
                    "nccl takes NVLS only in groups whose nodes have a switch that computes "
                    "(network.in-network.switches)"});
}
