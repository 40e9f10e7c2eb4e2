// SPDX-License-Identifier: GPL-2.0-only
#include "system/memory-model.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

constexpr SimTime LOCAL_LATENCY = SimTime::FromPs(7);
constexpr SimTime REMOTE_LATENCY = SimTime::FromPs(50);
constexpr Bytes SIZE{1000};
// 1000 bytes at 1 TB/s and at half of that.
constexpr SimTime LOCAL_TRANSFER = SimTime::FromPs(1000);
constexpr SimTime REMOTE_TRANSFER = SimTime::FromPs(2000);
constexpr SimTime START = SimTime::FromPs(300);

MemoryModel
MakeModel(MemoryOptions::Sharing sharing, const RankPlacement& placement = {})
{
    const MemoryOptions options{
        .local = {LOCAL_LATENCY, Bandwidth::FromBytesPerSecond(1'000'000'000'000)},
        .remote = {REMOTE_LATENCY, Bandwidth::FromBytesPerSecond(500'000'000'000)},
        .sharing = sharing,
        .ranksPerNode = 2};
    return MemoryModel(options, 5, placement);
}

SimTime
ReserveRemote(MemoryModel& model, uint32_t rank)
{
    return model.Reserve(START, RankId{rank}, SIZE, true);
}

constexpr SimTime ALONE = START + REMOTE_TRANSFER + REMOTE_LATENCY;
constexpr SimTime AFTER_ANOTHER = ALONE + REMOTE_TRANSFER;

} // namespace

TEST_CASE("MemoryModel: a local access takes latency + size / bandwidth and never waits",
          "[unit][system]")
{
    MemoryModel model = MakeModel(MemoryOptions::Sharing::All);
    for (int access = 0; access < 2; ++access)
    {
        CHECK(model.Reserve(START, RankId{0}, SIZE, false) ==
              START + LOCAL_LATENCY + LOCAL_TRANSFER);
    }
}

TEST_CASE("MemoryModel: NPUs with remote memories of their own do not wait for each other",
          "[unit][system]")
{
    MemoryModel model = MakeModel(MemoryOptions::Sharing::PerNpu);
    CHECK(ReserveRemote(model, 0) == ALONE);
    CHECK(ReserveRemote(model, 1) == ALONE);
    CHECK(ReserveRemote(model, 0) == AFTER_ANOTHER);
}

TEST_CASE("MemoryModel: ranks of one node share its remote memory", "[unit][system]")
{
    MemoryModel model = MakeModel(MemoryOptions::Sharing::Node);
    CHECK(ReserveRemote(model, 0) == ALONE);
    CHECK(ReserveRemote(model, 2) == ALONE);
    CHECK(ReserveRemote(model, 4) == ALONE); // the last node has one rank only
    CHECK(ReserveRemote(model, 1) == AFTER_ANOTHER);
    CHECK(ReserveRemote(model, 3) == AFTER_ANOTHER);
}

TEST_CASE("MemoryModel: ranks whose NPUs stand in one node share its remote memory",
          "[unit][system]")
{
    // Nodes of two NPUs: ranks 0 and 3 share the first one, rank 1 stands alone in the fourth.
    MemoryModel model = MakeModel(MemoryOptions::Sharing::Node, RankPlacement({1, 6, 4, 0, 5}, 8));
    CHECK(ReserveRemote(model, 0) == ALONE);
    CHECK(ReserveRemote(model, 1) == ALONE);
    CHECK(ReserveRemote(model, 2) == ALONE);
    CHECK(ReserveRemote(model, 3) == AFTER_ANOTHER);
    CHECK(ReserveRemote(model, 4) == AFTER_ANOTHER);
}

TEST_CASE("MemoryModel: a pool of all serves transfers one after the other, latencies overlap",
          "[unit][system]")
{
    MemoryModel model = MakeModel(MemoryOptions::Sharing::All);
    for (int before = 0; before < 5; ++before)
    {
        CHECK(ReserveRemote(model, static_cast<uint32_t>(before)) ==
              ALONE + REMOTE_TRANSFER * before);
    }
}

TEST_CASE("MemoryModel: a memory is free again when its last transfer has ended", "[unit][system]")
{
    MemoryModel model = MakeModel(MemoryOptions::Sharing::All);
    ReserveRemote(model, 0);
    const SimTime free = START + REMOTE_TRANSFER;
    SECTION("an access just before waits")
    {
        const SimTime before = free - SimTime::FromPs(1);
        CHECK(model.Reserve(before, RankId{1}, SIZE, true) ==
              free + REMOTE_TRANSFER + REMOTE_LATENCY);
    }
    SECTION("an access just after does not")
    {
        const SimTime after = free + SimTime::FromPs(1);
        CHECK(model.Reserve(after, RankId{1}, SIZE, true) ==
              after + REMOTE_TRANSFER + REMOTE_LATENCY);
    }
}
