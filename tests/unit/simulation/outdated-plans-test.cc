// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/outdated-plans.h"
#include "simulation/simulate.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;

namespace
{

std::vector<std::string>
FindNotes(const std::string& algorithm, const std::string& faults)
{
    const test::ScratchDirectory scratch("outdated-plans");
    const RunInput input(
        scratch.Write("c.yaml",
                      "workload: {collective: {type: all-reduce, size: 64 KiB}}\n"
                      "system: {collectives: {all-reduce: " +
                          algorithm +
                          "}}\n"
                          "network:\n"
                          "  dimensions:\n"
                          "    - {shape: ring, size: 3, bandwidth: 50 GB/s, latency: 1 us}\n"
                          "    - {shape: ring, size: 3, bandwidth: 50 GB/s, latency: 1 us}\n"
                          "  faults: " +
                          faults + "\n  reroute-after: 0 us\n"),
        {});
    const RunResults results = Simulate(input);
    REQUIRE(results.status == RunStatus::Done);
    return FindOutdatedPlans(input, results);
}

} // namespace

TEST_CASE("FindOutdatedPlans: links that fail under a plan are told, with what to do",
          "[unit][simulation]")
{
    const std::string dead = "[{at: 1 us, link: [npu0, npu1], state: down}]";
    CHECK(FindNotes("synthesized", dead) ==
          std::vector<std::string>{
              "links failed under synthesised plans, which were made for the whole network; their "
              "messages took other ways (mechanisms.reroutes). Describe the network without these "
              "links to have plans for what is left"});
    CHECK(FindNotes("ring", dead).empty());
    CHECK(FindNotes("synthesized", "[]").empty());
}

TEST_CASE("FindOutdatedPlans: bandwidths that change after 0 s are told", "[unit][simulation]")
{
    const auto slow = [](const std::string& when)
    { return "[{" + when + "link: [npu0, npu1], bandwidth: 10 GB/s}]"; };
    const std::vector<std::string> told{"links changed their bandwidth under synthesised plans, "
                                        "which were made for the bandwidths at 0 s"};
    CHECK(FindNotes("synthesized", slow("at: 1 us, ")) == told);
    CHECK(FindNotes("synthesized", slow("until: 3 us, ")) == told);
    CHECK(FindNotes("synthesized", slow("")).empty());
    CHECK(FindNotes("ring", slow("at: 1 us, ")).empty());
}
