// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/memo/entered-inputs.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

/// The `number`-th message of an edge that is in `trees` trees, and goes two ways.
PeriodInput
MakeEdgeInput(uint32_t number, uint32_t trees)
{
    const bool isUp = number % 2 == 0;
    const uint32_t tree = number / 2 % trees;
    return {.message = {.source = VertexId{isUp ? 3U : 9U},
                        .destination = VertexId{isUp ? 9U : 3U},
                        .size = Bytes{65536},
                        .stream = MakeTreeStream(MakeCollectiveStream(CommunicatorId{2}, 5), tree),
                        .key = {number, uint64_t{number} << 40},
                        .overhead = Bytes{16}},
            .way = isUp ? 7U : 8U,
            .place = number + 100};
}

void
CheckEqual(const PeriodInput& found, const PeriodInput& wanted)
{
    CHECK(found.message.source == wanted.message.source);
    CHECK(found.message.destination == wanted.message.destination);
    CHECK(found.message.size == wanted.message.size);
    CHECK(found.message.overhead == wanted.message.overhead);
    CHECK(found.message.stream == wanted.message.stream);
    CHECK(found.message.key == wanted.message.key);
    CHECK(found.way == wanted.way);
    CHECK(found.place == wanted.place);
    CHECK(found.delivered == wanted.delivered);
    CHECK(found.program == wanted.program);
}

} // namespace

TEST_CASE("EnteredInputs: inputs come back as they entered, however many differ", "[memo]")
{
    const uint32_t trees = GENERATE(1U, 31U, 200U);
    EnteredInputs inputs;
    for (uint32_t i = 0; i < 1000; ++i)
    {
        inputs.Add(MakeEdgeInput(i, trees));
    }
    REQUIRE(inputs.Count() == 1000);
    for (uint32_t i = 0; i < 1000; ++i)
    {
        CheckEqual(inputs[i], MakeEdgeInput(i, trees));
    }
}

TEST_CASE("EnteredInputs: one is replaced or delivered, and the others stay", "[memo]")
{
    EnteredInputs inputs;
    inputs.Add(MakeEdgeInput(0, 1));
    inputs.Add(MakeEdgeInput(1, 1));
    PeriodInput traffic = MakeEdgeInput(2, 1);
    traffic.program = 42;
    inputs.Replace(0, traffic);
    inputs.SetDelivered(1, 77);
    CheckEqual(inputs[0], traffic);
    CHECK_FALSE(inputs[0].IsMessage());
    CHECK(inputs[1].IsMessage());
    CHECK(inputs[1].delivered == 77);
    inputs.Clear();
    CHECK(inputs.IsEmpty());
}
