// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/known-outages.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <optional>
#include <vector>

using namespace nadi;

namespace
{

constexpr SimTime DELAY = SimTime::FromUs(10);

LinkFault
MakeDown(int64_t fromUs, std::optional<int64_t> untilUs, std::vector<LinkId> links = {LinkId{0}})
{
    LinkFault fault;
    fault.at = SimTime::FromUs(fromUs);
    fault.until = untilUs ? std::optional(SimTime::FromUs(*untilUs)) : std::nullopt;
    fault.links = std::move(links);
    fault.isDown = true;
    return fault;
}

KnownOutage
MakeKnown(int64_t fromUs, std::optional<int64_t> untilUs, LinkId link = LinkId{0})
{
    const auto until = untilUs ? std::optional(SimTime::FromUs(*untilUs)) : std::nullopt;
    return {link, SimTime::FromUs(fromUs), until};
}

using Outages = std::vector<KnownOutage>;

} // namespace

TEST_CASE("FindKnownOutages: begin and end are known after the delay", "[unit][packet]")
{
    CHECK(FindKnownOutages({MakeDown(5, 100)}, DELAY) == Outages{MakeKnown(15, 110)});
    CHECK(FindKnownOutages({MakeDown(5, std::nullopt)}, DELAY) ==
          Outages{MakeKnown(15, std::nullopt)});
    CHECK(FindKnownOutages({MakeDown(5, 6)}, SimTime()) == Outages{MakeKnown(5, 6)});
    CHECK(FindKnownOutages({}, DELAY).empty());
}

TEST_CASE("FindKnownOutages: what is over within the delay is never known", "[unit][packet]")
{
    CHECK(FindKnownOutages({MakeDown(5, 15)}, DELAY).empty());
    LinkFault longer = MakeDown(5, 15);
    *longer.until += SimTime::FromPs(1);
    CHECK(FindKnownOutages({longer}, DELAY).size() == 1);
}

TEST_CASE("FindKnownOutages: faults that overlap or touch are one outage", "[unit][packet]")
{
    CHECK(FindKnownOutages({MakeDown(9, 15), MakeDown(5, 9), MakeDown(7, 8)}, DELAY).empty());
    CHECK(FindKnownOutages({MakeDown(9, 16), MakeDown(5, 9)}, DELAY) == Outages{MakeKnown(15, 26)});
    CHECK(FindKnownOutages({MakeDown(5, std::nullopt), MakeDown(7, 8)}, DELAY) ==
          Outages{MakeKnown(15, std::nullopt)});
}

TEST_CASE("FindKnownOutages: a link that is up within the delay only stays known as down",
          "[unit][packet]")
{
    CHECK(FindKnownOutages({MakeDown(5, 20), MakeDown(30, 31)}, DELAY) ==
          Outages{MakeKnown(15, 41)});
    CHECK(FindKnownOutages({MakeDown(5, 20), MakeDown(31, 50)}, DELAY) ==
          (Outages{MakeKnown(15, 30), MakeKnown(41, 60)}));
    // Two short ones are not known, however near.
    CHECK(FindKnownOutages({MakeDown(5, 12), MakeDown(13, 20)}, DELAY).empty());
}

TEST_CASE("FindKnownOutages: links have outages of their own; other faults are none",
          "[unit][packet]")
{
    LinkFault lossy = MakeDown(0, std::nullopt);
    lossy.isDown = false;
    lossy.loss = 0.5;
    CHECK(FindKnownOutages(
              {MakeDown(40, 60, {LinkId{2}, LinkId{1}}), lossy, MakeDown(5, 30, {LinkId{1}})},
              DELAY) == (Outages{MakeKnown(15, 70, LinkId{1}), MakeKnown(50, 70, LinkId{2})}));
}
