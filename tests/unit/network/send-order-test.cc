// SPDX-License-Identifier: GPL-2.0-only
#include "common/hash.h"
#include "network/analytical/send-order.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <utility>

using namespace nadi;

TEST_CASE("SendOrder: knows the last delivery of each queue pair while it matters",
          "[unit][network]")
{
    for (uint64_t seed = 0; seed < 200; ++seed)
    {
        const auto draw = [&](uint64_t purpose, uint64_t step, uint64_t bound) {
            return static_cast<int64_t>(Hash64({seed, purpose, step}) % bound);
        };
        SendOrder order;
        std::map<std::pair<VertexId, StreamId>, SimTime> lasts; // the obvious model
        SimTime now;
        for (uint64_t step = 0; step < 100; ++step)
        {
            now += SimTime::FromPs(draw(1, step, 10));
            Message message;
            message.destination = VertexId{static_cast<uint32_t>(draw(2, step, 3))};
            message.stream = StreamId{static_cast<uint64_t>(draw(3, step, 2))};
            const SimTime enough = now + SimTime::FromPs(draw(4, step, 60));
            SimTime& last = lasts[{message.destination, message.stream}];
            CAPTURE(seed, step);
            REQUIRE(std::max(order.FindLast(message, enough), enough) == std::max(last, enough));
            last = std::max(last, enough) + SimTime::FromPs(1);
            order.Add(message, last, now);
        }
    }
}

TEST_CASE("SendOrder: the room is that of the messages in flight", "[unit][network]")
{
    SendOrder order;
    constexpr int64_t IN_FLIGHT = 10;
    Message message;
    for (int64_t sent = 0; sent < 1000; ++sent)
    {
        // Each is delivered when ten more were sent.
        order.Add(message, SimTime::FromPs(sent + IN_FLIGHT), SimTime::FromPs(sent));
        // More than half of it is in use when the room becomes larger, which doubles it.
        REQUIRE(order.Capacity() < 4 * IN_FLIGHT);
    }
}
