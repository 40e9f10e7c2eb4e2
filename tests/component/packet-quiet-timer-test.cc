// SPDX-License-Identifier: GPL-2.0-only
// Retry timers where nothing, or something, is lost. A queue pair has one wherever some frame of
// the network can be lost, be it at the other end of the network, or never in the run.
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;

namespace
{

/// Eight NPUs on a switch, of which the last one has no rank.
std::string
Star(const std::string& rate, const std::string& keys)
{
    return "network:\n  dimensions: [{shape: switch, size: 8, bandwidth: " + rate +
           ", latency: 1 us}]\n" + keys;
}

/// Of the idle NPU, long after the job.
const std::string LATE_OUTAGE =
    "  faults: [{link: [npu7, dim0.switch0], state: down, at: 100 s, until: 101 s}]\n";
/// Of the idle NPU, from the start.
const std::string LOSS_ASIDE = "  faults: [{link: [npu7, dim0.switch0], loss: 0.5}]\n";

/// Frames of six senders wait in the queue of one receiver for far longer than 100 us.
const std::string THREE_GATHERS =
    "workload: {ranks: 7, collective: {type: gather, size: 4 MB, repeat: 3}}\n"
    "system: {chunks: 1}\n";

/// One NPU has so many messages under way that each queue pair waits for its turn for more than 100
/// us: 32 frames at 10 Gb/s.
std::string
ManyFlows()
{
    std::string flows;
    for (int i = 0; i < 32; ++i)
    {
        flows +=
            (i == 0 ? "" : ", ") + ("{src: 0, dst: " + std::to_string(1 + i) + ", size: 400 KB}");
    }
    return "workload: {flows: [" + flows +
           "]}\n"
           "network:\n  dimensions: [{shape: switch, size: 34, bandwidth: 10 Gb/s, latency: 1 "
           "us}]\n";
}

} // namespace

TEST_CASE("Retry timers: a fault that loses nothing changes no job", "[component][packet]")
{
    const RunResults alone = RunYaml({Star("100 Gb/s", "") + THREE_GATHERS});
    for (const std::string& fault : {LATE_OUTAGE, LOSS_ASIDE})
    {
        const RunResults beside = RunYaml({Star("100 Gb/s", fault) + THREE_GATHERS});
        CHECK(beside.status == RunStatus::Done);
        CHECK(beside.finish == alone.finish);
        CHECK(beside.totals.retransmissions == 0);
        CHECK(beside.totals.drops == 0);
    }
}

TEST_CASE("Retry timers: to wait for the own NIC is no reason to send again", "[component][packet]")
{
    const RunResults alone = RunYaml({ManyFlows()});
    const RunResults beside =
        RunYaml({ManyFlows() + "  faults: [{link: [npu33, dim0.switch0], loss: 1e-6}]\n"});
    CHECK(beside.finish == alone.finish);
    CHECK(beside.totals.retransmissions == 0);
}

TEST_CASE("Retry timers: a timeout that is given counts whether something was lost or not",
          "[component][packet]")
{
    const RunResults beside =
        RunYaml({Star("100 Gb/s", LATE_OUTAGE + "  packet: {retransmit-timeout: 100 us}\n") +
                 THREE_GATHERS});
    CHECK(beside.totals.drops == 0);
    CHECK(beside.totals.retransmissions > 0);
}

TEST_CASE("Retry timers: what was lost is sent again after one wait, however long others were",
          "[component][packet]")
{
    // One message at a time from NPU 1 to NPU 0. The link is cut while its last frame is on it, at
    // 1 ms; no later frame tells of the gap, so the timer must.
    const std::string job = "workload: {flows: [{src: 1, dst: 0, size: 10 MB}]}\n"; // 0.8 ms
    const RunResults whole = RunYaml({Star("100 Gb/s", "") + job});
    const int64_t last = whole.finish.Ps() / 1000 - 1500; // ns: the last frame is on its way
    const std::string cut =
        "  faults: [{link: [npu1, dim0.switch0], state: down, at: " + std::to_string(last) +
        " ns, until: " + std::to_string(last + 10) + " ns}]\n";
    const RunResults lossy = RunYaml({Star("100 Gb/s", cut) + job});
    REQUIRE(lossy.totals.drops > 0);
    CHECK(lossy.status == RunStatus::Done);
    CHECK(lossy.totals.retransmissions >= lossy.totals.drops);
    // Within the timeout of 100 us and what is sent again.
    CHECK(lossy.finish < whole.finish + SimTime::FromNs(110'000));
}
