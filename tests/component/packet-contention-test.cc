// SPDX-License-Identifier: GPL-2.0-only
// Messages and collectives that share links.
#include "tests/support/packet-forms.h"

#include <algorithm>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// `senders` flows of one size at 0 into the last rank of a switch.
RunResults
RunFlowsToLast(const PacketCase& net)
{
    std::string flows;
    for (uint32_t sender = 0; sender + 1 < net.ranks; ++sender)
    {
        flows += fmt::format(
            "  - {{src: {}, dst: {}, size: {} B}}\n", sender, net.ranks - 1, net.size.Count());
    }
    const std::string whole = net.Yaml();
    const std::string yaml = "workload:\n flows:\n" + flows + whole.substr(whole.find("system:"));
    return RunYaml({.yaml = yaml, .settings = {}, .scrambleSeed = {}});
}

/// `count` equal all-reduces at once.
RunResults
RunParallel(const PacketCase& net, uint32_t count)
{
    std::string list;
    for (uint32_t i = 0; i < count; ++i)
    {
        list += fmt::format("{}{{type: all-reduce, size: {} B}}", i ? ", " : "", net.size.Count());
    }
    return RunYaml({.yaml = net.Yaml(),
                    .settings = {"workload.collective={parallel: [" + list + "]}"},
                    .scrambleSeed = {}});
}

} // namespace

TEST_CASE("Incast: senders share the receiver's link frame by frame, to the picosecond",
          "[component][packet]")
{
    for (const uint32_t senders : {1U, 2U, 5U, 8U})
    {
        for (const int64_t frames : {1, 7, 40})
        {
            const PacketCase net{.ranks = senders + 1, .size = Bytes(4096 * frames)};
            CAPTURE(senders, frames);
            const RunResults results = RunFlowsToLast(net);
            const SimTime frame = FrameTime(net, net.payload);
            // Frame k of all senders reaches the switch at (k + 1) frames + latency, the lowest
            // port's first, and p of them at a time keep the receiver's port busy from the first.
            for (uint32_t sender = 0; sender < senders; ++sender)
            {
                const int64_t slots = int64_t{senders} * (frames - 1) + sender + 1;
                CHECK(results.ranks[sender].metrics.finish ==
                      frame + net.latency + frame * slots + net.latency);
            }
            CHECK(results.finish == frame + net.latency * 2 +
                                        PortTime(net, net.size) * int64_t{senders} +
                                        net.endpointDelay);
        }
    }
}

TEST_CASE("Concurrent collectives: two on one ring share it fairly", "[component][packet]")
{
    for (const char* algorithm : {"ring", "bidirectional-ring"})
    {
        PacketCase net{.shape = "ring",
                       .ranks = 4,
                       .algorithm = algorithm,
                       .size = Bytes(4 * 2 * 50 * 4096),
                       .latency = SimTime::FromNs(100)};
        CAPTURE(algorithm);
        const int64_t ways = net.algorithm == "ring" ? 1 : 2;
        const Bytes shard = LargestPart(net.size, net.Ranks() * ways);
        const int64_t steps = 2 * (net.Ranks() - 1);
        const SimTime frame = FrameTime(net, net.payload);
        const SimTime pause = net.latency + net.endpointDelay;
        const SimTime alone = net.Run().finish;
        const RunResults both = RunParallel(net, 2);
        REQUIRE(both.collectives.size() == 2);
        const SimTime first =
            std::min(both.collectives[0].record.end, both.collectives[1].record.end);
        // A link carries 2 x steps messages one frame after the other, and rests at most for one
        // latency and endpoint delay a step, acknowledgements included.
        const SimTime acknowledgements = (net.controlFrame / net.rate) * (2 * steps);
        CHECK(both.finish >= PortTime(net, shard) * (2 * steps) + pause);
        CHECK(both.finish <= (PortTime(net, shard) * 2 + pause) * steps + acknowledgements);
        CHECK(both.finish <= alone * 2);
        // They end together: at most one frame of the other per step apart.
        CHECK(both.finish - first <= frame * steps);
        CHECK(first >= alone);
    }
}

TEST_CASE("Concurrent collectives: as many as there are get an equal share", "[component][packet]")
{
    const PacketCase net{.shape = "ring", .ranks = 3, .size = Bytes(3 * 60 * 4096)};
    const SimTime alone = net.Run().finish;
    const int64_t steps = 2 * (net.Ranks() - 1);
    for (const uint32_t count : {3U, 5U})
    {
        const RunResults all = RunParallel(net, count);
        REQUIRE(all.collectives.size() == count);
        for (const CollectiveResult& one : all.collectives)
        {
            // No sooner than with everybody's frames between its own, but the lead of a frame of
            // each other and what others leave idle at the ends of its steps.
            const SimTime wire = PortTime(net, LargestPart(net.size, net.Ranks())) * steps;
            const SimTime slack =
                (FrameTime(net, net.payload) * count + net.latency + net.endpointDelay) * steps;
            CHECK(one.record.end >= wire * count - slack);
            CHECK(one.record.end <= wire * count + slack);
            CHECK(one.record.end >= alone);
        }
    }
}
