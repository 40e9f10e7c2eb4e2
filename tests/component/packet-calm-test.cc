// SPDX-License-Identifier: GPL-2.0-only
// Mechanisms that do not act cost no event; those that act, act as without trains.
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace nadi;

namespace
{

const std::string SWITCH =
    "dimensions: [{shape: switch, size: 8, bandwidth: 100 Gb/s, latency: 500 ns}]";

/// In each, NPUs have several ports, or frames several ways. Under PFC the second ring has two data
/// priorities.
const std::vector<std::string> FABRICS{
    "dimensions: [{shape: ring, size: 4, bandwidth: 100 Gb/s, latency: 500 ns}]",
    "dimensions: [{shape: ring, size: 8, bandwidth: 100 Gb/s, latency: 500 ns}]",
    "dimensions: [{shape: fully-connected, size: 8, bandwidth: 100 Gb/s, latency: 500 ns}]",
    "topology: {generator: leaf-spine, npus: 8, npus-per-leaf: 4, spines: 2, link: {bandwidth: 100 "
    "Gb/s, latency: 500 ns}}",
    "topology: {generator: nodes, nodes: 2, npus-per-node: 4, spines: 2, nvlink: {bandwidth: 450 "
    "GB/s, "
    "latency: 100 ns}, nic: {bandwidth: 100 Gb/s, latency: 500 ns}}",
    "topology: {generator: rail, nodes: 2, npus-per-node: 4, spines: 2, nvlink: {bandwidth: 450 "
    "GB/s, latency: 100 ns}, nic: {bandwidth: 100 Gb/s, latency: 500 ns}}"};

/// `fabric` are the keys of a network that describe it.
RunResults
RunOn(const std::string& fabric,
      const std::string& workload,
      const std::string& packet,
      const std::string& trains)
{
    const std::string yaml =
        fmt::format("workload: {{{}}}\n"
                    "system: {{chunks: 1, collectives: {{all-reduce: ring}}}}\n"
                    "network:\n"
                    "  {}\n"
                    "  packet: {{payload: 1000 B{}}}\n",
                    workload,
                    fabric,
                    packet);
    return RunYaml({yaml, {"network.packet.trains=" + trains}});
}

/// Runs with trains; requires that nothing but the number of events differs without them.
RunResults
RunBothWays(const std::string& workload,
            const std::string& packet,
            const std::string& fabric = SWITCH)
{
    const RunResults with = RunOn(fabric, workload, packet, "on");
    const RunResults without = RunOn(fabric, workload, packet, "off");
    CHECK(with.digest == without.digest);
    CHECK(with.totals.ecnMarks == without.totals.ecnMarks);
    CHECK(with.totals.pauses == without.totals.pauses);
    CHECK(with.totals.drops == without.totals.drops);
    CHECK(without.totals.trains == 0);
    return with;
}

/// NPUs 1 to `senders` send to NPU 0 at once; later, when all is quiet, NPU 1 sends alone.
std::string
MakeIncast(uint32_t senders, uint64_t lateSize)
{
    std::string flows;
    for (uint32_t sender = 1; sender <= senders; ++sender)
    {
        flows += fmt::format("{{src: {}, dst: 0, size: 400 KB}}, ", sender);
    }
    return fmt::format("flows: [{}{{src: 1, dst: 0, size: {} B, at: 10 ms}}]", flows, lateSize);
}

} // namespace

TEST_CASE("Trains: mechanisms that do not act cost no event a frame", "[component][packet][trains]")
{
    const std::string ring = "collective: {type: all-reduce, size: 8 MB}";
    const RunResults plain = RunBothWays(ring, "");
    for (const char* mechanisms : {", ecn: on",
                                   ", ecn: on, congestion-control: dcqcn",
                                   ", buffer: 32 MB",
                                   ", buffer: 32 MB, pfc: on",
                                   ", buffer: 32 MB, pfc: on, ecn: on, congestion-control: dcqcn",
                                   ", window: 64 MB, acknowledge: message"})
    {
        CAPTURE(mechanisms);
        const RunResults results = RunBothWays(ring, mechanisms);
        CHECK(results.digest == plain.digest);
        CHECK(results.totals.trains == plain.totals.trains);
        // Where frames may be lost, the timers of queue pairs have events too, and NPUs have none
        // for a memory that they lack.
        CHECK(results.events <= plain.events + 8 * 14);
        CHECK(results.events < results.totals.packetHops / 20);
    }
}

TEST_CASE("Trains: memories of NPUs that forward nothing are not in their way",
          "[component][packet][trains]")
{
    const std::string ring = "collective: {type: all-reduce, size: 8 MB}";
    for (const std::string& fabric : FABRICS)
    {
        const RunResults plain = RunBothWays(ring, "", fabric);
        CHECK(plain.events < plain.totals.packetHops / 10);
        for (const char* mechanisms : {", buffer: 32 MB",
                                       ", buffer: 32 MB, pfc: on",
                                       ", buffer: 32 MB, pfc: {headroom: 100 KB}",
                                       ", buffer: 32 MB, retransmit-timeout: 10 ms"})
        {
            CAPTURE(fabric, mechanisms);
            const RunResults results = RunBothWays(ring, mechanisms, fabric);
            CHECK(results.digest == plain.digest);
            // where frames may be lost, timers of the queue pairs
            CHECK(results.events <= plain.events + 3 * 8 * 14);
        }
    }
}

TEST_CASE("Trains: a port that is paused forms none, though the node that paused it is calm again",
          "[component][packet][trains]")
{
    // Links take 1.2 us. A node resumes its neighbours, and its memory is quiet; until the resumes
    // arrive, nothing starts. Rings of up to four have one data priority, larger ones two.
    for (const uint32_t size : {3, 4, 6})
    {
        const std::string fabric = fmt::format(
            "dimensions: [{{shape: ring, size: {}, bandwidth: 25 Gb/s, latency: 1234567 ps}}, "
            "{{shape: mesh, size: 4, bandwidth: 50 Gb/s, latency: 1234567 ps}}]",
            size);
        const auto run = [&fabric](const std::string& trains)
        {
            return RunYaml({"workload: {collective: {type: all-reduce, size: 54864 B}}\n"
                            "system: {chunks: 3, inter-dimension: themis, collectives: "
                            "{all-reduce: halving-doubling}}\n"
                            "network:\n  " +
                                fabric +
                                "\n  packet: {payload: 256 B, buffer: 4 MB, pfc: {headroom: auto, "
                                "alpha: 0.002}}\n",
                            {"network.packet.trains=" + trains}});
        };
        const RunResults with = run("on");
        CAPTURE(size);
        CHECK(with.totals.trains > 0);
        CHECK(with.totals.pauses > 0);
        CHECK(with.digest == run("off").digest);
    }
}

TEST_CASE("Trains: only frames that are answered have events of their own",
          "[component][packet][trains]")
{
    // 14 steps of 1 MB: 1000 frames, of which each hundredth is answered.
    const RunResults results =
        RunBothWays("collective: {type: all-reduce, size: 8 MB}", ", acknowledge: 100 frames");
    const uint64_t answers = uint64_t{8} * 14 * 10;
    CHECK(results.totals.packetHops == 2 * (uint64_t{8} * 14 * 1000));
    CHECK(results.events <
          8 * answers); // a frame and its answer over two links, and trains between
}

TEST_CASE("Trains: a window that can fill ends those of its queue pair",
          "[component][packet][trains]")
{
    // When the last of 400 frames starts, 399 000 B are unacknowledged, unless the window is full.
    const auto run = [](uint64_t window)
    {
        return RunBothWays("flows: [{src: 0, dst: 1, size: 400 KB}, {src: 2, dst: 3, size: 10 MB}]",
                           fmt::format(", acknowledge: message, window: {} B", window))
            .events;
    };
    const uint64_t whole = run(20'000'000);
    CHECK(whole < 100);
    CHECK(run(9'999'001) <= whole + 4); // frame 9999 is answered, too, as it could fill the window
    CHECK(run(9'999'000) > 10'000);
    CHECK(run(399'001) > run(9'999'000)); // an answer for each 399 frames of the longer one
    CHECK(run(399'000) > run(399'001) + 400);
}

TEST_CASE("Trains: a port that marks forms none until its queue is short",
          "[component][packet][trains]")
{
    // Two senders at line rate fill the queue by a frame in each frame time, up to 400 KB.
    const std::string marks = ", ecn: {min: 50 KB, max: 100 KB, probability: 0.5}";
    const RunResults results = RunBothWays(MakeIncast(2, 1'000'000), marks);
    CHECK(results.totals.ecnMarks > 100);
    CHECK(results.totals.trains > 0);
    // The late message finds the port empty, so its size does not matter.
    const RunResults longer = RunBothWays(MakeIncast(2, 10'000'000), marks);
    CHECK(longer.events == results.events);
    // Below the first mark nothing goes frame by frame.
    const RunResults below = RunBothWays(MakeIncast(2, 1'000'000), ", ecn: {min: 1 MB, max: 2 MB}");
    CHECK(below.totals.ecnMarks == 0);
    CHECK(below.events < results.events / 4);
}

TEST_CASE("Trains: a queue pair that was slowed down forms them where its rate is known ahead",
          "[component][packet][trains]")
{
    const auto run = [](uint64_t lateSize)
    {
        return RunBothWays(
            MakeIncast(2, lateSize),
            ", congestion-control: dcqcn, ecn: {min: 50 KB, max: 100 KB, probability: 0.5}");
    };
    const RunResults results = run(1'000'000);
    CHECK(results.totals.cnps > 0);
    CHECK(results.totals.trains > 0);
    // 9000 more frames of a sender below line rate take 0.8 ms and a few ticks of its timer, which
    // has one every 300 us. No mark comes, as it is alone.
    const RunResults longer = run(10'000'000);
    CHECK(longer.totals.cnps == results.totals.cnps);
    CHECK(longer.events < results.events + 100);
}

TEST_CASE("Trains: end around a switch whose memory may pause or drop",
          "[component][packet][trains]")
{
    const RunResults pausing =
        RunBothWays(MakeIncast(7, 1'000'000), ", buffer: 1 MB, pfc: {headroom: auto, alpha: 0.05}");
    CHECK(pausing.totals.pauses > 0);
    CHECK(pausing.totals.trains > 0);
    const RunResults dropping = RunBothWays(MakeIncast(7, 1'000'000), ", buffer: 200 KB");
    CHECK(dropping.totals.drops > 0);
    CHECK(dropping.totals.trains > 0);
}

TEST_CASE("Headroom: is enough where an acknowledgement is longer than a full frame",
          "[component][packet][pfc]")
{
    // A pause may have to wait for an acknowledgement of 1064 B; full frames have 304 B.
    const RunResults results =
        RunYaml({"workload: {collective: [{parallel: [{type: reduce-scatter, size: 37223 B}, "
                 "{type: broadcast, size: 31631 B}]}]}\n"
                 "network:\n"
                 "  topology: {generator: nodes, nodes: 4, npus-per-node: 4, nics-per-node: 1, "
                 "leaves: 2, spines: 1, nvlink: {bandwidth: 100 Gb/s, latency: 1 ps}, "
                 "nic: {bandwidth: 50 Gb/s, latency: 1 ps}, "
                 "pcie: {bandwidth: 33.3 Gb/s, latency: 0 ns}}\n"
                 "  packet: {payload: 256 B, control-frame: 1064 B, buffer: 16 MB, "
                 "pfc: {headroom: auto, alpha: 0.0001}, trains: off}\n",
                 {}});
    CHECK(results.status == RunStatus::Done);
    CHECK(results.totals.pauses > 0);
    CHECK(results.totals.drops == 0);
}

TEST_CASE("Headroom: what a slow frame before a pause lets drop is sent once more",
          "[component][packet][pfc]")
{
    // Until 50 us the link of NPU 1 is slow. The switch starts a frame to it just before, which
    // takes 33 us, while NPU 1 sends at full rate into an egress that three others fill.
    const auto run = [](uint32_t at, const std::string& until)
    {
        return RunYaml(
            {fmt::format(
                 "workload: {{flows: [{{src: 1, dst: 0, size: 4 MB}}, "
                 "{{src: 2, dst: 0, size: 8 MB}}, {{src: 3, dst: 0, size: 8 MB}}, "
                 "{{src: 4, dst: 0, size: 8 MB}}, "
                 "{{src: 5, dst: 1, size: 4 MB, at: {} us}}]}}\n"
                 "network:\n"
                 "  dimensions: [{{shape: switch, size: 8, bandwidth: 400 Gb/s, latency: 500 "
                 "ns}}]\n"
                 "  packet: {{payload: 4096 B, buffer: 2 MB, pfc: {{alpha: 0.01}}}}\n"
                 "  faults: [{{{}link: [npu1, dim0.switch0], bandwidth: 1 Gb/s}}]\n",
                 at,
                 until),
             {}});
    };
    for (const uint32_t at : {5, 10, 15})
    {
        const RunResults results = run(at, "until: 50 us, ");
        CHECK(results.status == RunStatus::Done);
        CHECK(results.totals.pauses > 0);
        CHECK(results.totals.drops > 0);
        CHECK(results.totals.retransmissions >= results.totals.drops);
    }
    // Both directions are slow for good, and never more comes than the headroom holds.
    const RunResults slow = run(5, "");
    CHECK(slow.status == RunStatus::Done);
    CHECK(slow.totals.drops == 0);
    CHECK(slow.totals.retransmissions == 0);
}

TEST_CASE("Trains: a memory that is quiet again leaves alone what its neighbours start before",
          "[component][packet][trains]")
{
    // The memory of a leaf becomes quiet while the queue of the spine to it is beyond its mark.
    const std::string yaml =
        "workload: {flows: [{src: 9, dst: 6, size: 187672 B, at: 99 us}, "
        "{src: 10, dst: 1, size: 255513 B, at: 57 us}, {src: 4, dst: 11, size: 209584 B}, "
        "{src: 2, dst: 8, size: 235098 B}, {src: 10, dst: 4, size: 249523 B, at: 72 us}, "
        "{src: 6, dst: 0, size: 262075 B, at: 93 us}, {src: 0, dst: 4, size: 110557 B}, "
        "{src: 6, dst: 9, size: 286605 B}, {src: 2, dst: 10, size: 78406 B, at: 32 us}, "
        "{src: 6, dst: 11, size: 252977 B}, {src: 2, dst: 11, size: 146937 B}, "
        "{src: 7, dst: 0, size: 180097 B, at: 24 us}]}\n"
        "network:\n"
        "  topology: {generator: leaf-spine, npus: 12, npus-per-leaf: 4, spines: 1, "
        "link: {bandwidth: 100 Gb/s, latency: 500 ns}, "
        "uplink: {bandwidth: 100 Gb/s, latency: 500 ns}}\n"
        "  packet: {payload: 1000 B, ecn: {min: 5 KB, max: 20 KB, probability: 1}, "
        "buffer: 2000 KB, pfc: {headroom: auto, alpha: 0.05}}\n";
    const RunResults with = RunYaml({yaml, {"network.packet.trains=on"}});
    const RunResults without = RunYaml({yaml, {"network.packet.trains=off"}});
    CHECK(with.totals.trains > 0);
    CHECK(with.totals.ecnMarks > 0);
    CHECK(with.digest == without.digest);
}

TEST_CASE("Trains: the walks over queue pairs take fewer steps than frames start",
          "[component][packet][trains]")
{
    // 63 queue pairs take turns at each of 64 NPUs, with 16 messages of 4 frames each.
    const RunResults results =
        RunYaml({"workload: {collective: {type: all-to-all, size: 4 MB}}\n"
                 "system: {chunks: 16, collectives: {all-to-all: direct}}\n"
                 "network:\n"
                 "  dimensions: [{shape: switch, size: 64, bandwidth: 100 Gb/s, latency: 500 ns}]\n"
                 "  packet: {payload: 1000 B}\n",
                 {}});
    CHECK(results.totals.trainSteps <= results.totals.packets);
    CHECK(results.totals.cutTrains <= results.totals.trains);
}
