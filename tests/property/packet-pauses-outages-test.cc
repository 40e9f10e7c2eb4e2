// SPDX-License-Identifier: GPL-2.0-only
// Priority flow control over two leaves, whose uplinks are down for a while, longer or shorter than
// reroute-after: nobody stays paused, and the mechanisms that make runs fast change nothing.
#include "tests/support/case-count.h"
#include "tests/support/draws.h"
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

const CaseCount PAUSES_AND_OUTAGES{.reduced = 5, .normal = 25, .full = 400};

constexpr uint64_t NPUS_ON_LEAVES = 6; ///< three to a leaf

/// Most messages go to one NPU, so that its leaf pauses the spines.
std::string
DrawLeafIncast(Draws& draws)
{
    const uint64_t victim = draws.Below(NPUS_ON_LEAVES);
    std::string flows;
    for (uint64_t i = 0; i < 6; ++i)
    {
        const uint64_t destination = draws.Below(3) > 0 ? victim : draws.Below(NPUS_ON_LEAVES);
        const uint64_t source =
            (destination + 1 + draws.Below(NPUS_ON_LEAVES - 1)) % NPUS_ON_LEAVES;
        flows += fmt::format("{}{{src: {}, dst: {}, size: {} KB}}",
                             i == 0 ? "" : ", ",
                             source,
                             destination,
                             100 + draws.Below(1500));
    }
    return "workload: {flows: [" + flows + "]}\n";
}

std::string
DrawUplinkOutages(Draws& draws)
{
    std::string faults;
    for (uint64_t i = 0; i < 2; ++i)
    {
        const uint64_t from = 10 + draws.Below(150);
        const uint64_t until = from + 1 + draws.Below(200);
        const uint64_t leaf = draws.Below(2);
        faults += fmt::format("{}{{link: [leaf{}, spine{}], state: down, at: {} us, until: {} us}}",
                              i == 0 ? "" : ", ",
                              leaf,
                              draws.Below(2),
                              from,
                              until);
    }
    return "  faults: [" + faults + "]\n  reroute-after: " + draws.Pick({"1 us", "20 us", "1 ms"}) +
           "\n";
}

} // namespace

TEST_CASE("PFC and outages: every message arrives, with trains or memo and without",
          "[property][packet]")
{
    uint64_t withPauses = 0;
    for (uint64_t seed = FirstSeed(); seed < FirstSeed() + PAUSES_AND_OUTAGES.Pick(); ++seed)
    {
        CAPTURE(seed);
        Draws draws(seed);
        const std::string incast = DrawLeafIncast(draws);
        const std::string yaml =
            incast +
            "network:\n"
            "  topology: {generator: leaf-spine, npus: 6, npus-per-leaf: 3, spines: 2, "
            "link: {bandwidth: 100 Gb/s, latency: 500 ns}}\n"
            "  packet: {pfc: {alpha: 0.125}, buffer: 1 MB}\n" +
            DrawUplinkOutages(draws);
        const RunResults results = RunYaml({yaml});
        CHECK(results.status == RunStatus::Done);
        withPauses += results.totals.pauses > 0;
        for (const char* mechanism : {"network.packet.trains=off", "network.packet.memo=off"})
        {
            CAPTURE(mechanism);
            CHECK(RunYaml({yaml, {mechanism}}).finish == results.finish);
        }
    }
    CHECK(withPauses > 0);
}
