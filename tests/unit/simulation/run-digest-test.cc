// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/run-digest.h"

#include <catch2/catch.hpp>

#include <functional>
#include <vector>

using namespace nadi;

namespace
{

using Step = std::function<void(RunDigest&)>;

std::string
DigestOf(const std::vector<Step>& steps)
{
    RunDigest digest;
    for (const Step& step : steps)
    {
        step(digest);
    }
    return digest.Hex();
}

Step
Node(uint32_t rank, int64_t endPs)
{
    return [=](RunDigest& digest)
    { digest.AddNode(RankId{rank}, NodeId{1}, SimTime{}, SimTime::FromPs(endPs)); };
}

Step
Arrival(uint64_t minor, int64_t deliveredPs)
{
    return [=](RunDigest& digest)
    {
        Delivery delivery;
        delivery.message.key.minor = minor;
        delivery.delivered = SimTime::FromPs(deliveredPs);
        digest.AddMessage(delivery);
    };
}

Step
Link(uint32_t id, uint64_t packets)
{
    return [=](RunDigest& digest)
    {
        LinkCounters counters;
        counters.packets = packets;
        digest.AddLink(LinkId{id}, counters);
    };
}

} // namespace

TEST_CASE("RunDigest: does not depend on the order of what happened", "[unit][simulation]")
{
    CHECK(DigestOf({Node(0, 5), Arrival(1, 7), Link(2, 3)}) ==
          DigestOf({Link(2, 3), Node(0, 5), Arrival(1, 7)}));
}

TEST_CASE("RunDigest: a picosecond, a counter or a missing record changes it", "[unit][simulation]")
{
    const std::string digest = DigestOf({Node(0, 5), Arrival(1, 7), Link(2, 3)});
    CHECK(digest != DigestOf({Node(0, 6), Arrival(1, 7), Link(2, 3)}));
    CHECK(digest != DigestOf({Node(1, 5), Arrival(1, 7), Link(2, 3)}));
    CHECK(digest != DigestOf({Node(0, 5), Arrival(1, 8), Link(2, 3)}));
    CHECK(digest != DigestOf({Node(0, 5), Arrival(2, 7), Link(2, 3)}));
    CHECK(digest != DigestOf({Node(0, 5), Arrival(1, 7), Link(2, 4)}));
    CHECK(digest != DigestOf({Node(0, 5), Arrival(1, 7), Link(3, 3)}));
    CHECK(digest != DigestOf({Node(0, 5), Arrival(1, 7)}));
}
