// SPDX-License-Identifier: GPL-2.0-only
// FlowBackend: what is counted, and what a message costs.
#include "common/hash.h"
#include "tests/support/flow-net.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace nadi::test
{

TEST_CASE("FlowBackend: every byte is counted on every link of its path", "[unit][network]")
{
    for (uint64_t seed = 0; seed < 30; ++seed)
    {
        CAPTURE(seed);
        FlowNet net(MakeRandomTopology(seed));
        const uint32_t npus = net.GetTopology().NpuCount();
        std::map<uint32_t, Bytes> expected;
        std::map<std::tuple<uint32_t, uint32_t, uint64_t>, SimTime> latest;
        std::vector<Message> messages;
        for (uint32_t i = 0; i < 50; ++i)
        {
            const uint64_t draw = Hash64({seed, i, 1});
            const auto from = static_cast<uint32_t>(draw % npus);
            const auto to = static_cast<uint32_t>((from + 1 + draw / 16 % (npus - 1)) % npus);
            messages.push_back(
                From(from, to, static_cast<int64_t>(draw / 4096 % 90'000), draw / 256 % 3));
            net.SendAt(SimTime(), messages.back());
            for (const LinkId link : net.PathOf(messages.back()))
            {
                expected[link.value] += net.WireOf(messages.back().size);
            }
        }
        net.RunUntil(SimTime::FromNs(900));
        for (uint32_t link = 0; link < net.GetTopology().LinkCount(); ++link)
        {
            // No more than the link can carry, in whole frames.
            const LinkCounters counters = net.Backend().ReadLink(LinkId{link});
            REQUIRE(counters.bytes / net.GetTopology().Link(LinkId{link}).bandwidth <=
                    SimTime::FromNs(900));
        }
        net.Run();
        for (uint32_t link = 0; link < net.GetTopology().LinkCount(); ++link)
        {
            REQUIRE(net.Backend().ReadLink(LinkId{link}).bytes == expected[link]);
        }
        for (uint64_t token = 0; token < messages.size(); ++token)
        {
            const Message& message = messages[token];
            REQUIRE(net.Delivered(token) >= net.Ideal(message));
            SimTime& before =
                latest[{message.source.value, message.destination.value, message.stream.value}];
            REQUIRE(net.Delivered(token) > before);
            before = net.Delivered(token);
        }
    }
}

TEST_CASE("FlowBackend: idle queue pairs make room for others", "[unit][network]")
{
    FlowNet net(MakeSwitch(4));
    const SimTime gap = SimTime::FromUs(10); // longer than a message takes
    const uint32_t count = 5000;
    for (uint32_t i = 0; i < count; ++i)
    {
        net.SendAt(gap * i, From(i % 4, (i + 1) % 4, 4096, i));
    }
    net.Run();
    CHECK(net.Backend().QueuePairCount() <= 1024);
    for (uint32_t i = 0; i < count; ++i)
    {
        REQUIRE(net.Delivered(i) == gap * i + net.Ideal(From(0, 1, 4096)));
    }
}

TEST_CASE("FlowBackend: a message costs two entries of the agenda at the most", "[unit][network]")
{
    FlowNet net(MakeSwitch(8));
    for (uint32_t i = 0; i < 8; ++i)
    {
        net.SendAt(SimTime(), From(i, (i + 1) % 8, 100'000));
    }
    net.Run();
    // Eight sends; then settled when they start and when they have left, and delivered, together.
    CHECK(net.Loop().EventCount() == 8 + 2 + 1);
}

TEST_CASE("FlowBackend: a message that ends changes the rate of a group, not of each flow",
          "[unit][network]")
{
    // 64 to one, all of different sizes, so that each ends at an instant of its own.
    const uint32_t senders = 64;
    FlowNet net(MakeSwitch(senders + 1));
    for (uint32_t i = 0; i < senders; ++i)
    {
        net.SendAt(SimTime(), From(i, senders, 4096 * (int64_t{i} + 1)));
    }
    net.Run();
    const SimTime frame = Bytes(4096 + 64) / RATE;
    SimTime busy;
    for (uint32_t i = 0; i < senders; ++i)
    {
        busy += frame * (senders - i); // one more frame of each that is left
        // A rate is rounded down where the count of flows does not divide it, the end up.
        const SimTime exact = busy + frame + LATENCY * 2;
        REQUIRE(net.Delivered(i) >= exact);
        REQUIRE(net.Delivered(i) <= exact + SimTime::FromPs(1));
    }
    // Filled anew: the start, and each end that leaves 1 to 16 flows. The other ends leave 17 to 63
    // flows, and each works out the share of the one link that limits them.
    const FairShares::Effort& effort = net.Backend().EffortSoFar();
    CHECK(effort.fillings == 1 + 16);
    CHECK(effort.flowsFilled == senders + 16 * 17 / 2);
    CHECK(effort.linksSettled == 63 - 16);
    // The sends, the starts, and each message's end and delivery.
    CHECK(net.Loop().EventCount() <= senders + 1 + 2 * senders);
}

} // namespace nadi::test
