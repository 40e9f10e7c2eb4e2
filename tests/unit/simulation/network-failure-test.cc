// SPDX-License-Identifier: GPL-2.0-only
// A queue pair that gives up: it ends the job only if somebody waits for it.
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Four NPUs on a switch, of which all links fail for good at `at`.
RunResults
RunWithFailure(const std::string& workload, const std::string& at)
{
    return RunYaml({.yaml = "workload: " + workload +
                            "\n"
                            "network:\n"
                            "  dimensions: [{shape: switch, size: 4, bandwidth: 50 GB/s, latency: "
                            "2 us}]\n"
                            "  faults: [{at: " +
                            at + ", link: all, state: down}]\n"});
}

const std::string FLOW = "{flows: [{src: 0, dst: 1, size: 4 KiB}]}";

} // namespace

TEST_CASE("NetworkFailure: a job that is done is done, also when its acknowledgement is lost",
          "[unit][simulation]")
{
    // The message arrives after 4.2 us. The links fail while its acknowledgement is under way, and
    // the queue pair sends again until it gives up.
    const RunResults whole = RunWithFailure(FLOW, "1 s");
    const RunResults cut = RunWithFailure(FLOW, "5 us");
    REQUIRE(whole.finish > SimTime::FromUs(4));
    REQUIRE(whole.finish < SimTime::FromUs(5));
    CHECK(cut.status == RunStatus::Done);
    CHECK(cut.finish == whole.finish);
    CHECK(cut.exitReason == whole.exitReason);
}

TEST_CASE("NetworkFailure: ranks that it stops are not said to have called amiss",
          "[unit][simulation]")
{
    const RunResults stopped =
        RunWithFailure("{collective: {type: all-reduce, size: 1 MiB}}", "9 us");
    CHECK(stopped.status == RunStatus::Stuck);
    CHECK(stopped.exitReason.find("gave up") != std::string::npos);
    REQUIRE(stopped.waits);
    for (const WaitingRank& rank : stopped.waits->ranks)
    {
        CHECK(rank.waitsFor.find("do not match") == std::string::npos);
    }
}
