// SPDX-License-Identifier: GPL-2.0-only
#include "system/collective-bounds.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

using namespace nadi;

namespace
{

/// Eight members, 800 bytes a member: (p-1)/p of them are 700.
constexpr uint32_t P = 8;
constexpr int64_t S = 800;
constexpr int64_t S_OTHERS = S * (P - 1) / P;

MandatoryTraffic
MandatoryOf(CollectiveType type, MemberRole role = MemberRole::Peer)
{
    return ComputeMandatoryTraffic({.type = type, .size = Bytes(S), .ranks = P}, role);
}

MandatoryTraffic
OutIn(int64_t out, int64_t in)
{
    return {.out = Bytes(out), .in = Bytes(in)};
}

/// Bytes that all members together send and receive.
MandatoryTraffic
MandatoryOfAll(CollectiveType type)
{
    const MandatoryTraffic root = MandatoryOf(type, MemberRole::Root);
    const MandatoryTraffic peer = MandatoryOf(type, MemberRole::Peer);
    return {.out = root.out + peer.out * (P - 1), .in = root.in + peer.in * (P - 1)};
}

} // namespace

TEST_CASE("ComputeMandatoryTraffic: collectives without a root ask the same of every member",
          "[unit][system]")
{
    CHECK(MandatoryOf(CollectiveType::AllReduce) == OutIn(S, S));
    CHECK(MandatoryOf(CollectiveType::AllGather) == OutIn(S, S * (P - 1)));
    CHECK(MandatoryOf(CollectiveType::ReduceScatter) == OutIn(S_OTHERS, S / P));
    CHECK(MandatoryOf(CollectiveType::AllToAll) == OutIn(S_OTHERS, S_OTHERS));
    CHECK(MandatoryOf(CollectiveType::Barrier) == OutIn(0, 0));
}

TEST_CASE("ComputeAverageTraffic: each element that p-1 members get or add to has p-1 messages",
          "[unit][system]")
{
    const std::map<CollectiveType, int64_t> averages{
        {CollectiveType::AllReduce, 2 * S_OTHERS},
        {CollectiveType::AllGather, S * (P - 1)},
        {CollectiveType::ReduceScatter, S_OTHERS},
        {CollectiveType::Broadcast, S_OTHERS},
        {CollectiveType::Reduce, S_OTHERS},
        // Each element goes to one member only, which the parts of the members say already.
        {CollectiveType::AllToAll, 0},
        {CollectiveType::Gather, 0},
        {CollectiveType::Scatter, 0},
        {CollectiveType::Barrier, 0}};
    for (const CollectiveType type : AllCollectiveTypes())
    {
        CollectiveExtent extent{.type = type, .size = Bytes(S), .ranks = P};
        CHECK(ComputeAverageTraffic(extent) == Bytes(averages.at(type)));
        extent.reducedBy = ReducedBy::Switches;
        CHECK(ComputeAverageTraffic(extent) == Bytes(0));
        extent = {.type = type, .size = Bytes(S), .ranks = 1};
        CHECK(ComputeAverageTraffic(extent) == Bytes(0));
    }
}

TEST_CASE("ComputeMandatoryTraffic: what a root gives its peers get, and the reverse",
          "[unit][system]")
{
    CHECK(MandatoryOf(CollectiveType::Broadcast, MemberRole::Root) == OutIn(S, 0));
    CHECK(MandatoryOf(CollectiveType::Broadcast) == OutIn(0, S));
    CHECK(MandatoryOf(CollectiveType::Reduce, MemberRole::Root) == OutIn(0, S));
    CHECK(MandatoryOf(CollectiveType::Reduce) == OutIn(S, 0));
    CHECK(MandatoryOf(CollectiveType::Scatter, MemberRole::Root) == OutIn(S * (P - 1), 0));
    CHECK(MandatoryOf(CollectiveType::Scatter) == OutIn(0, S));
    CHECK(MandatoryOf(CollectiveType::Gather, MemberRole::Root) == OutIn(0, S * (P - 1)));
    CHECK(MandatoryOf(CollectiveType::Gather) == OutIn(S, 0));
    CHECK(MandatoryOfAll(CollectiveType::Gather) == OutIn(S * (P - 1), S * (P - 1)));
    CHECK(MandatoryOfAll(CollectiveType::Scatter) == OutIn(S * (P - 1), S * (P - 1)));
}

TEST_CASE("ComputeMandatoryTraffic: rounds down, so that it stays a bound for uneven shards",
          "[unit][system]")
{
    const auto traffic = [](CollectiveType type)
    {
        return ComputeMandatoryTraffic({.type = type, .size = Bytes(10), .ranks = 4},
                                       MemberRole::Peer);
    };
    // The shards of 10 bytes are 2, 3, 2, 3: whoever owns 3 has 7 to give away.
    CHECK(traffic(CollectiveType::ReduceScatter) == OutIn(7, 2));
    CHECK(ComputeAverageTraffic({.size = Bytes(10), .ranks = 4}) == Bytes(15)); // 2 * 10 * 3 / 4
}

TEST_CASE("ComputeMandatoryTraffic: a group of one moves nothing", "[unit][system]")
{
    for (const CollectiveType type : AllCollectiveTypes())
    {
        CHECK(ComputeMandatoryTraffic({.type = type, .size = Bytes(S), .ranks = 1},
                                      MemberRole::Root) == OutIn(0, 0));
    }
}

TEST_CASE("ComputeNcclSize: counts all shards where the call counts one", "[unit][system]")
{
    for (const CollectiveType type : AllCollectiveTypes())
    {
        const bool countsShard = type == CollectiveType::AllGather ||
                                 type == CollectiveType::Gather || type == CollectiveType::Scatter;
        CHECK(ComputeNcclSize({.type = type, .size = Bytes(S), .ranks = P}) ==
              Bytes(countsShard ? S * P : S));
    }
}

TEST_CASE("BusBandwidthFactor: is the traffic of the busiest member per byte of nccl size",
          "[unit][system]")
{
    for (const CollectiveType type : AllCollectiveTypes())
    {
        if (type == CollectiveType::Barrier)
        {
            CHECK(BusBandwidthFactor(type, P) == 0);
            continue;
        }
        const MandatoryTraffic root = MandatoryOf(type, MemberRole::Root);
        const MandatoryTraffic peer = MandatoryOf(type, MemberRole::Peer);
        const Bytes average = ComputeAverageTraffic({.type = type, .size = Bytes(S), .ranks = P});
        const Bytes busiest = std::max({root.out, root.in, peer.out, peer.in, average});
        const Bytes size = ComputeNcclSize({.type = type, .size = Bytes(S), .ranks = P});
        CHECK(BusBandwidthFactor(type, P) ==
              Approx(static_cast<double>(busiest.Count()) / static_cast<double>(size.Count())));
    }
}

TEST_CASE("BusBandwidthGBps: is algorithm bandwidth times the factor", "[unit][system]")
{
    const CollectiveExtent extent{
        .type = CollectiveType::AllGather, .size = Bytes(1'000'000), .ranks = 4};
    const SimTime duration = SimTime::FromUs(100);
    // 4 MB in 100 us are 40 GB/s; each member received 3 of the 4.
    CHECK(AlgorithmBandwidthGBps(extent, duration) == Approx(40));
    CHECK(BusBandwidthGBps(extent, duration) == Approx(40 * 3.0 / 4.0));
    CHECK(AlgorithmBandwidthGBps(extent, SimTime()) == 0);
    CHECK(BusBandwidthGBps(extent, SimTime()) == 0);
}
