// SPDX-License-Identifier: GPL-2.0-only
// Nadi as a library: this program is linked without the command line and its library.
#include "common/error.h"
#include "simulation/simulate.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string TWO_NPUS = "workload: {collective: {type: all-reduce, size: 2 MB}}\n"
                             "network:\n"
                             "  backend: analytical\n"
                             "  dimensions: [{shape: ring, size: 2, bandwidth: 100 GB/s, "
                             "latency: 1 us}]\n"
                             "  packet: {payload: 1000 B, header: 0 B}\n"
                             "system: {collectives: {all-reduce: ring}, chunks: 1, "
                             "endpoint-delay: 0 ns}\n";

} // namespace

TEST_CASE("Simulate: a configuration file goes in, results come out", "[unit][simulation]")
{
    const ScratchDirectory scratch("simulate");
    const auto file = scratch.Write("two.yaml", TWO_NPUS);
    const RunResults results = Simulate(file);
    CHECK(results.status == RunStatus::Done);
    // Two steps of half the buffer each: 1 MB at 100 GB/s takes 10 us, and the link 1 us.
    CHECK(results.finish == SimTime::FromUs(2 * (10 + 1)));
    CHECK(results.collectives.size() == 1);
    CHECK(results.warnings.empty());

    // A setting replaces what the file says: half the size, half the time on the wire.
    CHECK(Simulate(file, {"workload.collective.size=1 MB"}).finish == SimTime::FromUs(2 * (5 + 1)));
    CHECK(std::filesystem::exists(file));
    CHECK(std::distance(std::filesystem::directory_iterator(scratch.Path()), {}) == 1);
}

TEST_CASE("Simulate: what had no effect is among the results", "[unit][simulation]")
{
    const ScratchDirectory scratch("simulate");
    const auto file = scratch.Write("two.yaml", TWO_NPUS);
    const RunResults results = Simulate(file, {"system.chunks-in-flight=4"});
    REQUIRE(results.warnings.size() == 1);
    CHECK_THAT(results.warnings.front(), Catch::Contains("chunks-in-flight 4 had no effect"));
}

TEST_CASE("Simulate: a rank that only sends has no more chunks in flight than others",
          "[unit][simulation]")
{
    const ScratchDirectory scratch("simulate");
    const auto file = scratch.Write("two.yaml", TWO_NPUS);
    const auto finishOf = [&](const std::string& type, const std::string& inFlight)
    {
        return Simulate(file,
                        {"workload.collective={type: " + type + ", size: 800 KB}",
                         "system.collectives={" + type + ": direct}",
                         "system.chunks=8",
                         "system.chunks-in-flight=" + inFlight})
            .finish;
    };
    for (const std::string type : {"broadcast", "reduce"})
    {
        CAPTURE(type);
        // A chunk of 100 KB takes 1 us and the link another. Alone it leaves once the one before is
        // there; with a second one in flight the link is never idle.
        CHECK(finishOf(type, "1") == SimTime::FromUs(8 * (1 + 1)));
        CHECK(finishOf(type, "2") == SimTime::FromUs(8 + 1));
    }
}

TEST_CASE("Simulate: a mistake of the user is an error that names its line", "[unit][simulation]")
{
    const ScratchDirectory scratch("simulate");
    const auto file = scratch.Write("two.yaml", "workload: {collectve: all-reduce}\n");
    CHECK_THROWS_AS(Simulate(file), ConfigError);
}
