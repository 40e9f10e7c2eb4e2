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
};

RunResults
RunLibrary(const LibraryJob& job)
{
    const ScratchDirectory scratch("library-keys");
    const RunInput input(
        scratch.Write(
            "c.yaml",
            fmt::format("workload: {{{}}}\n"
                        "system: {{library: {{name: nccl{}}}}}\n"
                        "network: {{backend: analytical, topology: {{generator: rail, nodes: {}, "
                        "npus-per-node: 8, spines: 1, nvlink: {{bandwidth: 450 GB/s, latency: 500 "
                        "ns}}, nic: {{bandwidth: 50 GB/s, latency: 1 us}}}}{}}}\n",
                        job.collective,
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
