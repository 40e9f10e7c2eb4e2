// SPDX-License-Identifier: GPL-2.0-only
// What `nadi check` says about the bounds of a job.
#include "cli/terminal/fabric-summary.h"
#include "simulation/run-input.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

TEST_CASE("DescribeFabricBounds: where a fault raises a rate, the bound and its links have that",
          "[unit][cli]")
{
    const ScratchDirectory scratch("fabric-summary");
    const auto describe = [&](const std::string& faults)
    {
        return DescribeFabricBounds(
            RunInput(scratch.Write("c.yaml",
                                   "workload: {collective: {type: gather, size: 4 MB}}\n"
                                   "network:\n"
                                   "  dimensions: [{shape: ring, size: 2, bandwidth: 50 GB/s, "
                                   "latency: 500 ns}]\n"
                                   "  faults: [" +
                                       faults + "]\n"),
                     {}));
    };
    using Lines = std::vector<std::string>;
    const std::string call = "gather over 2 ranks, 3.81 MiB: ";
    CHECK(describe("") == Lines{call + "80 us or more; 1 link of 50 GB/s into npu0"});
    CHECK(describe("{at: 1 us, link: [npu0, npu1], bandwidth: 100 GB/s}") ==
          Lines{call + "40 us or more; 1 link of 100 GB/s into npu0"});
    CHECK(describe("{at: 1 us, link: [npu0, npu1], bandwidth: 10 GB/s}") == describe(""));
}
