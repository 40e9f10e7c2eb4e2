// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/mechanism-warnings.h"
#include "simulation/simulation.h"
#include "tests/support/run-notes.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <functional>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string ANSWERS = "each frame is acknowledged, and network.packet.acknowledge: frame "
                            "alone shows what that costs";

/// The warnings of a run of 100 us in which every link carried something, and what `change` says.
Sentences
MechanismWarningsOf(
    const std::string& keys, const std::function<void(RunResults&)>& change = [](RunResults&) {})
{
    const ScratchDirectory scratch("mechanism-warnings");
    const RunInput input(scratch.Write("c.yaml", WithNetwork(keys)), {});
    RunResults results;
    results.finish = SimTime::FromUs(100);
    results.links.resize(input.Topology().LinkCount());
    for (LinkCounters& link : results.links)
    {
        link.bytes = Bytes(1000);
        link.maxQueue = Bytes(200);
    }
    change(results);
    return FindMechanismWarnings(input, results);
}

/// Frames started at the bandwidths of faults.
void
SlowFrames(RunResults& results)
{
    for (LinkCounters& link : results.links)
    {
        link.hasAlteredRate = true;
    }
}

} // namespace

TEST_CASE("FindMechanismWarnings: nothing configured, nothing to say", "[unit][simulation]")
{
    CHECK(MechanismWarningsOf("").empty());
}

TEST_CASE("FindMechanismWarnings: marks that never came", "[unit][simulation]")
{
    const std::string ecn = "ecn: {min: 5 KB, max: 9 KB}}";
    const auto deepen = [](RunResults& results) { results.links[4].maxQueue = Bytes(4321); };
    CHECK(MechanismWarningsOf("  packet: {congestion-control: dcqcn, " + ecn, deepen) ==
          Sentences{"no ECN mark was seen: the longest queue held 4321 B, and marks begin beyond "
                    "5 KB; dcqcn had no effect"});
    CHECK(MechanismWarningsOf("  packet: {" + ecn) ==
          Sentences{"no ECN mark was seen: the longest queue held 200 B, and marks begin beyond "
                    "5 KB; ecn had no effect"});
    const auto mark = [](RunResults& results) { results.totals.ecnMarks = 1; };
    CHECK(MechanismWarningsOf("  packet: {congestion-control: dcqcn, " + ecn, mark).empty());
}

TEST_CASE("FindMechanismWarnings: what is left of a control whose marks never came",
          "[unit][simulation]")
{
    const auto warningOf = [](const std::string& more, const NetworkTotals& totals)
    {
        return MechanismWarningsOf("  packet: {congestion-control: dctcp, ecn: {min: 5 KB, max: 9 "
                                   "KB}" +
                                       more + "}",
                                   [&](RunResults& results) { results.totals = totals; });
    };
    const std::string fact =
        "no ECN mark was seen: the longest queue held 200 B, and marks begin beyond 5 KB; ";
    CHECK(warningOf("", {}) == Sentences{fact + ANSWERS});
    CHECK(warningOf(", acknowledge: frame", {}) == Sentences{fact + "dctcp had no effect"});
    CHECK(
        warningOf("", {.hasHeldFrames = true}) ==
        Sentences{fact + "the window of dctcp held senders back, and each frame is acknowledged"});
    CHECK(warningOf(", window: 1 MiB", {.hasHeldFrames = true}) ==
          Sentences{fact + "the window of dctcp, or that of network.packet.window, held senders "
                           "back"});
    CHECK(warningOf("", {.slowdowns = 1, .hasHeldFrames = true}) ==
          Sentences{fact + "dctcp slowed senders down for losses alone"});
    // The threshold of `ecn` is not the one that holds.
    CHECK(MechanismWarningsOf("  packet: {ecn: {min: 5 KB, max: 9 KB}}\n"
                              "  ns3: {\"ns3::FabricPort::MarkMin\": 100}") ==
          Sentences{"no ECN mark was seen: the longest queue held 200 B; ecn had no effect"});
}

TEST_CASE("FindMechanismWarnings: a window that never filled", "[unit][simulation]")
{
    const auto hold = [](RunResults& results) { results.totals.hasHeldFrames = true; };
    CHECK(MechanismWarningsOf("  packet: {window: 64 MiB}") ==
          Sentences{"the window of 64 MiB never filled, so it held no sender back; " + ANSWERS});
    CHECK(MechanismWarningsOf("  packet: {window: bdp}") ==
          Sentences{"the window of one bandwidth-delay product never filled, so it held no sender "
                    "back; " +
                    ANSWERS});
    CHECK(MechanismWarningsOf("  packet: {window: 64 MiB, acknowledge: message}") ==
          Sentences{"the window of 64 MiB never filled, so it held no sender back"});
    CHECK(MechanismWarningsOf("  packet: {window: 64 MiB}", hold).empty());
}

TEST_CASE("FindMechanismWarnings: a congestion control that never slowed anybody down",
          "[unit][simulation]")
{
    for (const std::string control : {"hpcc", "timely", "swift"})
    {
        const std::string packet = "  packet: {congestion-control: " + control + "}";
        CHECK(MechanismWarningsOf(packet) ==
              Sentences{control +
                        " never lowered a rate or a window: no queue or delay gave it "
                        "reason to; " +
                        ANSWERS});
        CHECK(MechanismWarningsOf(packet, [](RunResults& results) { results.totals.slowdowns = 1; })
                  .empty());
    }
}

TEST_CASE("FindMechanismWarnings: pauses that never came", "[unit][simulation]")
{
    const std::string pfc = "  packet: {pfc: on, buffer: 32 MB}";
    CHECK(MechanismWarningsOf(pfc) ==
          Sentences{"no pause was sent: the buffers of 32 MB never filled; pfc stopped nobody"});
    CHECK(MechanismWarningsOf(pfc, [](RunResults& results) { results.totals.pauses = 1; }).empty());
}

TEST_CASE("FindMechanismWarnings: a finite buffer that never overflowed", "[unit][simulation]")
{
    const std::string buffer = "  packet: {buffer: 32 MB}";
    CHECK(MechanismWarningsOf(buffer) ==
          Sentences{"no frame was dropped: the buffers of 32 MB never "
                    "overflowed; buffer had no effect"});
    CHECK(
        MechanismWarningsOf(buffer, [](RunResults& results) { results.totals.drops = 1; }).empty());
}

TEST_CASE("FindMechanismWarnings: recovery without a loss", "[unit][simulation]")
{
    const std::string selective = "  packet: {loss-recovery: selective}";
    CHECK(MechanismWarningsOf(selective) ==
          Sentences{"no frame was lost; loss-recovery selective never acted"});
    CHECK(MechanismWarningsOf(selective, [](RunResults& results) { results.totals.drops = 1; }) ==
          Sentences{"no frame was sent again; loss-recovery selective never acted"});
    CHECK(MechanismWarningsOf(selective,
                              [](RunResults& results) { results.totals.retransmissions = 1; })
              .empty());
}

TEST_CASE("FindMechanismWarnings: a timeout that nothing waited for", "[unit][simulation]")
{
    const std::string timeout = "  packet: {retransmit-timeout: 3 us}";
    CHECK(MechanismWarningsOf(timeout) ==
          Sentences{"no frame was sent again; retransmit-timeout 3 us never acted"});
    const auto lose = [](RunResults& results)
    {
        results.totals.retransmissions = 1;
        results.totals.drops = 1;
    };
    CHECK(MechanismWarningsOf(timeout, lose).empty());
}

TEST_CASE("FindMechanismWarnings: a timeout that is shorter than the waits", "[unit][simulation]")
{
    const auto repeat = [](RunResults& results) { results.totals.retransmissions = 7; };
    CHECK(MechanismWarningsOf("  packet: {retransmit-timeout: 3 us}", repeat) ==
          Sentences{"7 frames were sent again though none was lost, since answers took longer than "
                    "retransmit-timeout 3 us; with auto nothing is sent again before something is "
                    "lost"});
    // Frames that overtake each other are sent again, too.
    CHECK(MechanismWarningsOf("  packet: {retransmit-timeout: 3 us, load-balancing: spray}", repeat)
              .empty());
    CHECK(MechanismWarningsOf("", repeat).empty());
}

TEST_CASE("FindMechanismWarnings: new routes where no link goes down", "[unit][simulation]")
{
    const Sentences idle{"no link goes down in network.faults; reroute-after 2 ms had no effect"};
    CHECK(MechanismWarningsOf("  reroute-after: 2 ms") == idle);
    const std::string slow = "  faults: [{link: [npu1, npu2], bandwidth: 1 MB/s}]\n";
    CHECK(MechanismWarningsOf(slow + "  reroute-after: 2 ms", SlowFrames) == idle);
    CHECK(MechanismWarningsOf("  reroute-after: 1 ms").empty()); // as it is by default
}

TEST_CASE("FindMechanismWarnings: a fault that begins when the job is over", "[unit][simulation]")
{
    const std::string sentence =
        "network.faults[1] begins at 100 us, but the job ended at 100 us; it had no effect";
    const std::string faults = "  faults:\n"
                               "    - {link: all, bandwidth: 1 MB/s}\n"
                               "    - {at: 100 us, link: all, state: down}";
    CHECK(MechanismWarningsOf(faults, SlowFrames) == Sentences{sentence});
    const auto later = [](RunResults& results)
    {
        SlowFrames(results);
        results.finish = SimTime::FromUs(100) + SimTime::FromPs(1);
        results.totals.reroutes = 1;
    };
    CHECK(MechanismWarningsOf(faults, later).empty());
    // A job that is stuck since then has not ended before the fault.
    const auto stuck = [](RunResults& results)
    {
        SlowFrames(results);
        results.status = RunStatus::Stuck;
        results.totals.reroutes = 1;
    };
    CHECK(MechanismWarningsOf(faults, stuck).empty());
}

TEST_CASE("FindMechanismWarnings: a fault that touched no traffic", "[unit][simulation]")
{
    const Sentences untouched{
        "network.faults[0] touched no traffic: nothing crossed its links; it had no effect"};
    const auto idle = [](RunResults& results)
    { results.links[2] = results.links[3] = LinkCounters{}; };
    const std::string slow = "  faults: [{link: [npu1, npu2], bandwidth: 1 MB/s}]";
    CHECK(MechanismWarningsOf(slow, idle) == untouched);
    CHECK(MechanismWarningsOf(slow, SlowFrames).empty());

    // One that is down carries nothing because of it, though messages are meant for it; or because
    // no message is.
    const std::string down = "  faults: [{link: [npu1, npu2], state: down}]";
    const Sentences usual{"no route changed although links were down: they were back, or the job "
                          "was over, within 1 ms; reroute-after never acted",
                          untouched.front()};
    CHECK(MechanismWarningsOf(down, idle) == usual);
    const auto want = [&](RunResults& results)
    {
        idle(results);
        results.links[3].isWanted = true;
    };
    CHECK(MechanismWarningsOf(down, want) == Sentences{usual.front()});
    // New routes go around it, too, and nobody knows whether old ones were better.
    const auto avoid = [&](RunResults& results)
    {
        idle(results);
        results.totals.reroutes = 1;
    };
    CHECK(MechanismWarningsOf(down, avoid).empty());
}

TEST_CASE("FindMechanismWarnings: losses that never came", "[unit][simulation]")
{
    const std::string loss = "  faults: [{link: [npu1, npu2], loss: 1e-3}]";
    const auto elsewhere = [](RunResults& results) { results.links[0].drops = 7; };
    CHECK(MechanismWarningsOf(loss, elsewhere) ==
          Sentences{"network.faults[0] lost no frame at a rate of 0.001; it had no effect"});
    CHECK(
        MechanismWarningsOf(loss, [](RunResults& results) { results.links[3].drops = 1; }).empty());
}

TEST_CASE("FindMechanismWarnings: a chance of losses may cost time without any",
          "[unit][simulation]")
{
    const std::string loss = "  faults: [{link: [npu1, npu2], loss: 1e-3}]";
    const Sentences fact{"network.faults[0] lost no frame at a rate of 0.001"};
    // A timer that ran out in vain; switches that wait for acknowledgements.
    CHECK(MechanismWarningsOf(
              loss, [](RunResults& results) { results.totals.retransmissions = 1; }) == fact);
    const auto helpInNetwork = [](RunResults& results)
    {
        results.inNetwork.emplace();
        results.inNetwork->collectives = 1;
    };
    const std::string cost =
        "; because it could have lost frames, messages of switches that compute are acknowledged";
    CHECK(MechanismWarningsOf(loss, helpInNetwork) == Sentences{fact.front() + cost});
    CHECK(MechanismWarningsOf("  faults: [{at: 1 s, link: all, loss: 0.5}]", helpInNetwork) ==
          Sentences{"network.faults[0] begins at 1 s, but the job ended at 100 us" + cost});
    // What PFC keeps free depends on what is planned for the links.
    CHECK(MechanismWarningsOf("  packet: {pfc: on, buffer: 32 MB}\n" + loss,
                              [](RunResults& results) { results.totals.pauses = 1; }) == fact);
}

TEST_CASE("FindMechanismWarnings: bandwidths that no frame had", "[unit][simulation]")
{
    CHECK(MechanismWarningsOf("  faults: [{link: [npu1, npu2], bandwidth: 1 MB/s}]") ==
          Sentences{"network.faults[0] changed no rate: no frame started on its links while it "
                    "would have had another rate than usual; it had no effect"});
    CHECK(MechanismWarningsOf("  faults: [{link: [npu1, npu2], bandwidth: 1 GB/s}]") ==
          Sentences{"network.faults[0] gives its links the 1 GB/s that they have anyway; it had no "
                    "effect"});
    CHECK(MechanismWarningsOf("  faults: [{link: [npu1, npu2], bandwidth: 1 MB/s}]",
                              [](RunResults& results) { results.links[2].hasAlteredRate = true; })
              .empty());
}

TEST_CASE("FindMechanismWarnings: a failure without new routes", "[unit][simulation]")
{
    const std::string down = "  faults: [{link: [npu1, npu2], state: down, until: 5 us}]\n"
                             "  reroute-after: 2 ms";
    CHECK(MechanismWarningsOf(down) ==
          Sentences{"no route changed although links were down: they were back, or the job was "
                    "over, within 2 ms; reroute-after never acted"});
    CHECK(MechanismWarningsOf(down, [](RunResults& results) { results.totals.reroutes = 1; })
              .empty());
}

TEST_CASE("FindMechanismWarnings: an interrupted run has none", "[unit][simulation]")
{
    CHECK(MechanismWarningsOf("  packet: {pfc: on, buffer: 32 MB}",
                              [](RunResults& results) { results.status = RunStatus::Interrupted; })
              .empty());
}

TEST_CASE("RunInput: notes marks that nobody makes, and marks that nobody heeds",
          "[unit][simulation]")
{
    CHECK(NotesOf(WithNetwork("  packet: {congestion-control: dctcp}")) ==
          Sentences{"dctcp acts on ECN marks, but ecn is off: no mark will make it slower, but its "
                    "window may hold senders back, and each frame is acknowledged; write "
                    "network.packet.ecn: {min: 400 KB, max: 1600 KB}"});
    CHECK(NotesOf(WithNetwork("  packet: {congestion-control: dcqcn}")) ==
          Sentences{"dcqcn acts on ECN marks, but ecn is off: it has no effect; write "
                    "network.packet.ecn: {min: 400 KB, max: 1600 KB}"});
    CHECK(NotesOf(WithNetwork("  packet: {congestion-control: dcqcn}\n"
                              "  ns3: {\"ns3::FabricPort::MarkMax\": 100}"))
              .empty());
    CHECK(NotesOf(WithNetwork("  ns3: {\"ns3::FabricPort::MarkMin\": 100}")) ==
          Sentences{"ns3::FabricPort::MarkMin of network.ns3 has no effect: no port marks frames; "
                    "write network.packet.ecn: {min: 400 KB, max: 1600 KB}"});
    CHECK(NotesOf(WithNetwork("  packet: {congestion-control: dcqcn}\n"
                              "  ns3: {\"ns3::FabricPort::MarkMin\": 10, "
                              "\"ns3::FabricPort::MarkMax\": 100}"))
              .empty());
    CHECK(NotesOf(WithNetwork("  packet: {congestion-control: swift, ecn: on}")) ==
          Sentences{"ecn is on, but congestion-control swift does not look at marks: they have no "
                    "effect"});
    CHECK(NotesOf(WithNetwork("  packet: {congestion-control: dcqcn, ecn: on}")).empty());
}

TEST_CASE("RunInput: notes load balancing where there is but one way", "[unit][simulation]")
{
    const Sentences note{"there is one best way between any two nodes of this network: "
                         "load-balancing has no choice and no effect"};
    CHECK(NotesOf(WithNetwork("  packet: {load-balancing: spray}")) == note);
    const auto onTree = [](const std::string& spines)
    {
        const ScratchDirectory scratch("mechanism-tree");
        std::string links;
        for (const std::string end :
             {"npu0, to: leaf0", "npu1, to: leaf1", "leaf0, to: spine0", "leaf1, to: spine0"})
        {
            const std::string count = end.find("spine") == std::string::npos ? "1" : spines;
            links +=
                "  - {from: " + end + ", bandwidth: 1 GB/s, latency: 1 us, count: " + count + "}\n";
        }
        scratch.Write("t.yaml",
                      "nodes: {npus: 2, switches: [leaf0, leaf1, spine0]}\nlinks:\n" + links);
        const std::string yaml = "workload: {flows: [{src: 0, dst: 1, size: 1 B}]}\n"
                                 "network: {topology: {file: t.yaml}, packet: {load-balancing: "
                                 "adaptive}}\n";
        return RunInput(scratch.Write("c.yaml", yaml), {}).Notes();
    };
    CHECK(onTree("1") == note);
    CHECK(onTree("2").empty());
    // Where a link goes down, several ways may be left.
    CHECK(NotesOf(WithNetwork("  packet: {load-balancing: spray}\n"
                              "  faults: [{at: 1 ms, link: all, state: down}]"))
              .empty());
    CHECK(NotesOf(WithNetwork("  packet: {load-balancing: spray}\n"
                              "  faults: [{link: all, loss: 0.1}]")) == note);
}

TEST_CASE("RunInput: notes load balancing where only NPUs that send have several links",
          "[unit][simulation]")
{
    const ScratchDirectory scratch("mechanism-planes");
    scratch.Write("t.yaml",
                  "nodes: {npus: 2, switches: [plane0, plane1]}\nlinks:\n"
                  "  - {from: npu0, to: plane0, bandwidth: 1 GB/s, latency: 1 us}\n"
                  "  - {from: npu0, to: plane1, bandwidth: 1 GB/s, latency: 1 us}\n"
                  "  - {from: npu1, to: plane0, bandwidth: 1 GB/s, latency: 1 us}\n"
                  "  - {from: npu1, to: plane1, bandwidth: 1 GB/s, latency: 1 us}\n");
    const std::string yaml = "workload: {flows: [{src: 0, dst: 1, size: 1 B}]}\n"
                             "network: {topology: {file: t.yaml}, packet: {load-balancing: "
                             "spray}}\n";
    CHECK(RunInput(scratch.Write("c.yaml", yaml), {}).Notes() ==
          Sentences{"only NPUs that send have several equally good links in this network: a queue "
                    "pair keeps the one that ecmp gives it, and load-balancing, which chooses "
                    "where frames are forwarded, has no effect"});
}

TEST_CASE("RunInput: notes attributes of losses where nothing is lost", "[unit][simulation]")
{
    const auto share = [](const std::string& why)
    {
        return Sentences{"network.ns3 sets EgressAlpha, the share of a buffer that one egress may "
                         "hold before frames are dropped; " +
                         why + ": it has no effect"};
    };
    const std::string alpha = "  ns3: {\"ns3::FabricNode::EgressAlpha\": 0.5}\n";
    CHECK(NotesOf(WithNetwork(alpha)) == share("network.packet.buffer is unlimited"));
    CHECK(NotesOf(WithNetwork(alpha + "  packet: {buffer: 32 MB, pfc: on}")) ==
          share("with pfc, senders are paused instead"));
    CHECK(NotesOf(WithNetwork(alpha + "  packet: {buffer: 32 MB}")).empty());
    const Sentences retries{"network.ns3 sets RetryCount, but no frame of this network can be "
                            "lost: it has no effect"};
    const std::string count = "  ns3: {\"ns3::FabricProtocol::RetryCount\": 3}\n";
    CHECK(NotesOf(WithNetwork(count)) == retries);
    CHECK(NotesOf(WithNetwork(count + "  packet: {buffer: 32 MB, pfc: on}")) == retries);
    for (const std::string lossy : {"  packet: {buffer: 32 MB}",
                                    "  packet: {buffer: 32 MB, pfc: {headroom: 10 KB}}",
                                    "  faults: [{link: all, loss: 0.1}]"})
    {
        CAPTURE(lossy);
        CHECK(NotesOf(WithNetwork(count + lossy)).empty());
    }
}
