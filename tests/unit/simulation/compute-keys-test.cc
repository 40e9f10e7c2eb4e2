// SPDX-License-Identifier: GPL-2.0-only
// Keys of computation and memory where ranks do the one and not the other.
#include "tests/support/memory-job.h"
#include "tests/support/run-notes.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

Sentences
WarningsOfLoad(const std::vector<std::string>& settings)
{
    return RunMemoryJob({.ranks = {{{.size = Bytes(1000)}}},
                         .network = "{backend: analytical, dimensions: [{shape: switch, size: 1, "
                                    "bandwidth: 1 GB/s, latency: 1 us}]}",
                         .remote = "{latency: 2 us, bandwidth: 1 GB/s}",
                         .settings = settings})
        .warnings;
}

} // namespace

TEST_CASE("FindIdleComputeKeys: a job that accesses remote memory alone has no use for others",
          "[unit][simulation]")
{
    CHECK(WarningsOfLoad({"system.compute.scale=2"}) ==
          Sentences{"no rank computed anything; system.compute.scale had no effect"});
    CHECK(WarningsOfLoad({"system.memory.local.latency=5 us"}) ==
          Sentences{"no rank accessed local memory; system.memory.local had no effect"});
    CHECK(WarningsOfLoad({"system.compute.scale=2", "system.memory.local.latency=5 us"}) ==
          Sentences{"no rank computed anything, nor accessed such memory; these keys of system had "
                    "no effect: compute.scale, memory.local"});
    CHECK(WarningsOfLoad({"system.memory.remote.latency=3 us"}).empty());
    CHECK(WarningsOfLoad({"system.memory.default-location=remote"}).empty());
}
