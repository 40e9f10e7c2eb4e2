// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/link-capacities.h"

#include <catch2/catch.hpp>

#include <optional>
#include <vector>

using namespace nadi;

namespace
{

constexpr LinkId FORTH{0};
constexpr LinkId BACK{1};
constexpr Bytes CARRIED{1000};

/// A link of 1 B/ns each way, which carries 4000 B in 4 us.
Topology
MakeLink()
{
    Topology topology;
    const VertexId from = topology.AddVertex(VertexKind::Npu, "npu0");
    const VertexId to = topology.AddVertex(VertexKind::Npu, "npu1");
    topology.AddLink(from, to, Bandwidth::FromBytesPerSecond(1'000'000'000), SimTime());
    return topology;
}

/// Of the direction FORTH, times in microseconds; `rate` in bytes per nanosecond, none: down.
LinkFault
MakeFault(int64_t at, std::optional<int64_t> until, std::optional<int64_t> rate)
{
    LinkFault fault;
    fault.at = SimTime::FromUs(at);
    fault.until = until ? std::optional(SimTime::FromUs(*until)) : std::nullopt;
    fault.links = {FORTH};
    fault.isDown = !rate;
    fault.bandwidth =
        rate ? std::optional(Bandwidth::FromBytesPerSecond(*rate * 1'000'000'000)) : std::nullopt;
    return fault;
}

/// When 1000 B are carried until 4 us.
double
Use(const std::vector<LinkFault>& faults, LinkId link = FORTH)
{
    const Topology topology = MakeLink();
    return LinkCapacities(topology, faults).ComputeUtilization(link, CARRIED, SimTime::FromUs(4));
}

} // namespace

TEST_CASE("LinkCapacities: a share of what the link could carry until the end",
          "[unit][simulation]")
{
    CHECK(Use({}) == Approx(0.25));
    CHECK(Use({MakeFault(0, std::nullopt, 2)}) == Approx(0.125));
    CHECK(Use({MakeFault(0, std::nullopt, 2)}, BACK) ==
          Approx(0.25)); // the fault is of one direction
    // Down for 2 of 4 us.
    CHECK(Use({MakeFault(1, 3, std::nullopt)}) == Approx(0.5));
    // 1 us at 1 B/ns, then 3 us at 3: 10 000 B. The fault goes on behind the end.
    CHECK(Use({MakeFault(1, 9, 3)}) == Approx(0.1));
    // Of two bandwidths the lowest holds, and an outage rules: 1000 + 2000 + 0 + 1000 B.
    CHECK(Use({MakeFault(1, 3, 4), MakeFault(1, 2, 2), MakeFault(2, 3, std::nullopt)}) ==
          Approx(0.25));
    // A link that is down all the time carries nothing.
    CHECK(Use({MakeFault(0, std::nullopt, std::nullopt)}) == 0);
}
