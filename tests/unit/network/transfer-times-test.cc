// SPDX-License-Identifier: GPL-2.0-only
#include "common/hash.h"
#include "network/analytical/transfer-times.h"
#include "network/shortest-path-routing.h"
#include "tests/support/analytical-net.h"
#include "tests/support/messages.h"

#include <catch2/catch.hpp>

#include <limits>
#include <stdexcept>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// NPUs around a switch, each with a rate of its own.
Topology
MakeStar(size_t npus)
{
    std::vector<LinkRate> links;
    for (size_t npu = 0; npu < npus; ++npu)
    {
        const auto gigabits = static_cast<int64_t>(100 * (npu + 1));
        links.push_back({Bandwidth::FromBitsPerSecond(gigabits * 1'000'000'000),
                         SimTime::FromNs(static_cast<int64_t>(npu))});
    }
    return MakeUnevenStar(links);
}

/// Whether the times are what the definitions say of the way of the message.
void
CheckTimes(const Topology& topology, const PacketOptions& options, const TransferTime& time)
{
    REQUIRE(time.hops == 2);
    REQUIRE(time.links[0] == time.first);
    REQUIRE(time.links[1] == time.last);
    REQUIRE(time.lastLatency == PathLatency(topology, {time.last}, options.switchLatency));
}

} // namespace

TEST_CASE("TransferTimes: an answer that is asked for again is worked out twice", "[unit][network]")
{
    const Topology topology = MakeStar(3);
    const ShortestPathRouting routing(topology);
    TransferTimes times(topology, routing, {});
    for (int asked = 1; asked <= 5; ++asked)
    {
        times.Find(MakeMessage(0, 1, Bytes(1000)));
        CHECK(times.WorkedOut() == static_cast<uint64_t>(asked < 2 ? asked : 2));
    }
}

TEST_CASE("TransferTimes: messages of which no two are alike are worked out once each",
          "[unit][network]")
{
    const Topology topology = MakeStar(40);
    const ShortestPathRouting routing(topology);
    TransferTimes times(topology, routing, {});
    uint64_t asked = 0;
    for (uint32_t source = 0; source < 40; ++source)
    {
        for (uint32_t destination = 0; destination < 40; ++destination)
        {
            if (source != destination)
            {
                times.Find(MakeMessage(source, destination, Bytes(1000)));
                CHECK(times.WorkedOut() == ++asked);
            }
        }
    }
}

TEST_CASE("TransferTimes: the calls of a communicator share their answers", "[unit][network]")
{
    const Topology topology = MakeStar(3);
    const ShortestPathRouting routing(topology);
    TransferTimes times(topology, routing, {});
    for (uint32_t call = 0; call < 10; ++call)
    {
        const StreamId stream = MakeCollectiveStream(CommunicatorId{3}, call);
        times.Find(MakeMessage(0, 1, Bytes(1000), stream.value));
    }
    CHECK(times.WorkedOut() == 2);
}

TEST_CASE("TransferTimes: what is kept is what is worked out anew", "[unit][network]")
{
    const Topology topology = MakeStar(8);
    const ShortestPathRouting routing(topology);
    PacketOptions options;
    options.switchLatency = SimTime::FromNs(50);
    TransferTimes times(topology, routing, options);
    const uint64_t asked = 20'000;
    for (uint64_t step = 0; step < asked; ++step)
    {
        const auto draw = [&](uint64_t purpose, uint64_t bound) {
            return static_cast<uint32_t>(Hash64({purpose, step}) % bound);
        };
        const uint32_t source = draw(1, 8);
        const uint32_t destination = (source + 1 + draw(2, 7)) % 8;
        // 56 pairs, 2 communicators and 100 sizes: more than there are places.
        const StreamId stream = MakeCollectiveStream(CommunicatorId{draw(3, 2)}, draw(4, 5));
        const Message message =
            MakeMessage(source, destination, Bytes(97 * draw(5, 100)), stream.value);
        TransferTimes anew(topology, routing, options);
        const TransferTime expected = step % 50 == 0 ? anew.Find(message) : TransferTime{};
        const TransferTime& time = times.Find(message);
        CheckTimes(topology, options, time);
        if (step % 50 == 0)
        {
            CAPTURE(step);
            REQUIRE(time.total == expected.total);
            REQUIRE(time.lead == expected.lead);
            REQUIRE(time.first == expected.first);
            REQUIRE(time.last == expected.last);
            REQUIRE(time.total ==
                    IdealTransferTime(topology, {time.first, time.last}, message.size, options));
        }
    }
    CHECK(times.WorkedOut() < asked);
}

TEST_CASE("TransferTimes: what the clock ends too soon for is refused each time", "[unit][network]")
{
    const Topology topology = MakeStar(2);
    const ShortestPathRouting routing(topology);
    TransferTimes times(topology, routing, {});
    const Bytes size(std::numeric_limits<int64_t>::max() / 16);
    for (int asked = 0; asked < 4; ++asked)
    {
        CHECK_THROWS_AS(times.Find(MakeMessage(0, 1, size)), std::overflow_error);
    }
}
