// SPDX-License-Identifier: GPL-2.0-only
// What links lose is sent again until all of it has arrived, once.
#include "simulation/simulation.h"
#include "tests/support/packet-forms.h"
#include "tests/support/random-network.h"
#include "tests/support/scratch-directory.h"

#include <filesystem>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr int64_t PAYLOAD = 1000;
constexpr int64_t FRAMES = 100; ///< of each message
constexpr uint32_t RANKS = 8;

struct LossCase
{
    std::string control = "none";
    std::string recovery = "go-back-n";
    std::string loss = "1e-2";
    std::string more = {}; ///< keys of network.packet, a line each
};

/// Every rank to every other, over two leaves and two spines.
std::string
MakeLossYaml(const LossCase& test)
{
    std::string flows;
    for (uint32_t source = 0; source < RANKS; ++source)
    {
        for (uint32_t step = 1; step < RANKS; ++step)
        {
            flows += fmt::format("  - {{src: {}, dst: {}, size: {} B}}\n",
                                 source,
                                 (source + step) % RANKS,
                                 FRAMES * PAYLOAD);
        }
    }
    return fmt::format(
        "workload:\n  flows:\n{}output: {{flows: true}}\n"
        "network:\n"
        "  topology: {{generator: leaf-spine, npus: 8, npus-per-leaf: 4, spines: 2,\n"
        "    link: {{bandwidth: 100 Gb/s, latency: 500 ns}}}}\n"
        "  faults: [{{at: 0 ns, link: all, loss: {}}}]\n"
        "  packet:\n    payload: {} B\n    ecn: {{min: 20 KB, max: 80 KB}}\n"
        "    congestion-control: {}\n    loss-recovery: {}\n{}",
        flows,
        test.loss,
        PAYLOAD,
        test.control,
        test.recovery,
        test.more);
}

RunResults
RunCase(const LossCase& test)
{
    const ScratchDirectory scratch("loss");
    const RunInput input(scratch.Write("run.yaml", MakeLossYaml(test)), {});
    RunProgress progress;
    Simulation simulation(input, progress);
    RunResults results = simulation.Run();
    simulation.CheckConservation();
    return results;
}

/// Returns how many frames were sent again.
uint64_t
CheckAllArrives(const LossCase& test)
{
    CAPTURE(test.control, test.recovery, test.loss, test.more);
    const RunResults results = RunCase(test);
    CAPTURE(results.exitReason);
    REQUIRE(results.status == RunStatus::Done);
    const uint64_t messages = RANKS * (RANKS - 1);
    REQUIRE(results.flows->size() == messages);
    const NetworkTotals& totals = results.totals;
    CHECK(totals.packets == messages * FRAMES + totals.retransmissions);
    CHECK(totals.drops > 0);
    CHECK(totals.retransmissions > 0);
    Bytes retransmitted;
    for (const LinkCounters& link : results.links)
    {
        retransmitted += link.retransmitted;
    }
    // A frame sent again crosses one link at least.
    CHECK(retransmitted >= Bytes(PAYLOAD) * static_cast<int64_t>(totals.retransmissions));
    return totals.retransmissions;
}

/// Seven ranks to the eighth over a switch that can store a fifth of what one of them sends.
RunResults
RunLossyIncast(const std::string& control, const std::string& recovery)
{
    std::string flows;
    for (uint32_t source = 0; source + 1 < RANKS; ++source)
    {
        flows += fmt::format("  - {{src: {}, dst: {}, size: 1 MB}}\n", source, RANKS - 1);
    }
    const ScratchDirectory scratch("incast");
    return Simulate(scratch.Write(
        "run.yaml",
        fmt::format("workload:\n  flows:\n{}"
                    "network:\n"
                    "  dimensions:\n"
                    "  - {{shape: switch, size: {}, bandwidth: 100 Gb/s, latency: 1 us}}\n"
                    "  packet: {{payload: {} B, buffer: 200 KB, ecn: {{min: 20 KB, max: 80 KB}},\n"
                    "    retransmit-timeout: 100 us, congestion-control: {}, loss-recovery: {}}}\n",
                    flows,
                    RANKS,
                    PAYLOAD,
                    control,
                    recovery)));
}

} // namespace

/// After a timeout both send again, lowest first, and selective a part of what go-back-N sends. So
/// it needs no more timeouts, but others: a sender's last vain ones may have doubled its wait once
/// more often, which at most doubles the time. (Were one frame sent for each timeout, the thousands
/// of lost ones would take a thousand times as long.) Not with timely, which learns nothing from
/// NACKs: where the first missing frame is lost twice, a slow sender stays slow until it has sent
/// all the others again.
TEST_CASE("Loss: selective recovery of an incast takes at most twice as long as go-back-N",
          "[property][packet]")
{
    for (const std::string& control : RandomNetwork::Controls())
    {
        CAPTURE(control);
        const RunResults all = RunLossyIncast(control, "go-back-n");
        const RunResults some = RunLossyIncast(control, "selective");
        REQUIRE(all.status == RunStatus::Done);
        REQUIRE(some.status == RunStatus::Done);
        CHECK(some.totals.drops > 0);
        CHECK((some.finish <= all.finish * 2 || control == "timely"));
    }
}

TEST_CASE("Loss: every message arrives under each congestion control and recovery",
          "[property][packet]")
{
    for (const std::string& control : RandomNetwork::Controls())
    {
        for (const char* loss : {"1e-3", "1e-2"})
        {
            const uint64_t all = CheckAllArrives({control, "go-back-n", loss});
            const uint64_t some = CheckAllArrives({control, "selective", loss});
            CAPTURE(control, loss);
            CHECK(some < all); // what arrived after a gap is kept
        }
    }
}

TEST_CASE("Loss: every message arrives with the other mechanisms on", "[property][packet]")
{
    const std::vector<std::string> mechanisms{"    pfc: on\n    buffer: 200 KB\n",
                                              "    buffer: 60 KB\n",
                                              "    load-balancing: spray\n",
                                              "    load-balancing: flowlet\n",
                                              "    load-balancing: adaptive\n",
                                              "    switching: cut-through\n",
                                              "    acknowledge: 4 frames\n",
                                              "    window: bdp\n"};
    for (const std::string& mechanism : mechanisms)
    {
        for (const char* control : {"none", "dcqcn", "hpcc"})
        {
            const bool isCoarse = mechanism.find("acknowledge") != std::string::npos;
            if (!isCoarse || std::string(control) != "hpcc")
            {
                CheckAllArrives({control, "go-back-n", "1e-2", mechanism});
                CheckAllArrives({control, "selective", "1e-2", mechanism});
            }
        }
    }
}

TEST_CASE("Loss: a queue pair that hears nothing gives up, and the run says so",
          "[property][packet]")
{
    for (const char* recovery : {"go-back-n", "selective"})
    {
        const RunResults results = RunCase({.recovery = recovery, .loss = "1"});
        CHECK(results.status == RunStatus::Stuck);
        CHECK_THAT(results.exitReason,
                   Catch::Contains("gave up: nothing came back after all its retries"));
        CHECK(results.flows->empty());
    }
}
