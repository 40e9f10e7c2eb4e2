// SPDX-License-Identifier: GPL-2.0-only
#include "system/collective-plan.h"
#include "system/phase-sizes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

using namespace nadi;

namespace
{

/// Owned lengths of the plain division: part `coordinate` of the line's buffer.
PhaseSizes
MakeSizes(const RankGrid& members, uint32_t root = 0)
{
    return PhaseSizes(members,
                      root,
                      [&members](uint32_t dimension, uint64_t elements, uint32_t coordinate)
                      {
                          const Interval buffer{.begin = 0, .end = elements};
                          return PartOf(buffer, coordinate, members.Size(dimension)).Length();
                      });
}

ChunkSchedule
MakeChunk(uint64_t elements, std::vector<Phase> phases)
{
    return {.elements = elements, .phases = std::move(phases)};
}

ChunkSchedule
MakeUniformChunk(uint64_t elements, CollectiveType type, const std::vector<uint32_t>& order)
{
    ChunkSchedule chunk{.elements = elements, .phases = {}};
    for (const uint32_t dimension : order)
    {
        chunk.phases.push_back({.dimension = dimension, .type = type});
    }
    return chunk;
}

/// What is left to the member when all phases are done.
uint64_t
ElementsAfter(const PhaseSizes& sizes, const ChunkSchedule& chunk, uint32_t member)
{
    return sizes.ElementsBefore(chunk, static_cast<uint32_t>(chunk.phases.size()), member);
}

uint64_t
SumAfter(const RankGrid& members, const PhaseSizes& sizes, const ChunkSchedule& chunk)
{
    uint64_t sum = 0;
    for (uint32_t member = 0; member < members.RankCount(); ++member)
    {
        sum += ElementsAfter(sizes, chunk, member);
    }
    return sum;
}

/// Whether all members of each line have the same shape in each phase.
bool
LinesAgree(const RankGrid& members, const PhaseSizes& sizes, const ChunkSchedule& chunk)
{
    for (uint32_t phase = 0; phase < chunk.phases.size(); ++phase)
    {
        for (uint32_t member = 0; member < members.RankCount(); ++member)
        {
            const uint32_t first = members.WithCoordinate(member, chunk.phases[phase].dimension, 0);
            const PhaseShape mine = sizes.ShapeOf(chunk, phase, member);
            const PhaseShape theirs = sizes.ShapeOf(chunk, phase, first);
            if (mine.takesPart != theirs.takesPart || mine.elements != theirs.elements ||
                mine.root != theirs.root)
            {
                return false;
            }
        }
    }
    return true;
}

/// The members that take part in a phase.
std::vector<uint32_t>
Participants(const RankGrid& members,
             const PhaseSizes& sizes,
             const ChunkSchedule& chunk,
             uint32_t phase)
{
    std::vector<uint32_t> participants;
    for (uint32_t member = 0; member < members.RankCount(); ++member)
    {
        if (sizes.ShapeOf(chunk, phase, member).takesPart)
        {
            participants.push_back(member);
        }
    }
    return participants;
}

} // namespace

TEST_CASE("PhaseSizes: an all-reduce shrinks by what the member owns and grows back",
          "[unit][system]")
{
    const RankGrid members({3, 2});
    const PhaseSizes sizes = MakeSizes(members);
    const ChunkSchedule chunk = MakeChunk(10,
                                          {{0, CollectiveType::ReduceScatter},
                                           {1, CollectiveType::AllReduce},
                                           {0, CollectiveType::AllGather}});
    for (uint32_t member = 0; member < members.RankCount(); ++member)
    {
        // The parts of 10 in 3 end at 3, 6 and 10.
        const uint64_t owned = members.Coordinate(member, 0) == 2 ? 4 : 3;
        CHECK(sizes.ShapeOf(chunk, 0, member).elements == 10);
        CHECK(sizes.ShapeOf(chunk, 1, member).elements == owned);
        CHECK(sizes.ShapeOf(chunk, 2, member).elements == 10);
        CHECK(sizes.ElementsBefore(chunk, 2, member) == owned);
        CHECK(ElementsAfter(sizes, chunk, member) == 10);
    }
}

TEST_CASE("PhaseSizes: all-gathers restore the sizes before the reduce-scatters, last first",
          "[unit][system]")
{
    const RankGrid members({2, 2, 2});
    const PhaseSizes sizes = MakeSizes(members);
    const ChunkSchedule chunk = MakeChunk(7,
                                          {{2, CollectiveType::ReduceScatter},
                                           {0, CollectiveType::ReduceScatter},
                                           {1, CollectiveType::AllReduce},
                                           {0, CollectiveType::AllGather},
                                           {2, CollectiveType::AllGather}});
    // Member 4 has coordinate 1 along dimension 2 only: it owns 4 of 7, then 2 of 4.
    CHECK(sizes.ShapeOf(chunk, 1, 4).elements == 4);
    CHECK(sizes.ShapeOf(chunk, 2, 4).elements == 2);
    CHECK(sizes.ShapeOf(chunk, 3, 4).elements == 4);
    CHECK(sizes.ShapeOf(chunk, 4, 4).elements == 7);
    CHECK(LinesAgree(members, sizes, chunk));
}

TEST_CASE("PhaseSizes: the shards of a reduce-scatter partition the chunk in every order of "
          "dimensions",
          "[unit][system]")
{
    const std::vector<std::vector<uint32_t>> stacks = {{5}, {3, 2}, {2, 3, 4}, {2, 2, 3, 2}};
    for (const std::vector<uint32_t>& stack : stacks)
    {
        const RankGrid members(stack);
        const PhaseSizes sizes = MakeSizes(members);
        std::vector<uint32_t> order(stack.size());
        std::iota(order.begin(), order.end(), 0);
        do
        {
            for (const uint64_t elements : {0, 1, 7, 60, 1001})
            {
                const ChunkSchedule chunk =
                    MakeUniformChunk(elements, CollectiveType::ReduceScatter, order);
                REQUIRE(SumAfter(members, sizes, chunk) == elements);
                REQUIRE(LinesAgree(members, sizes, chunk));
            }
        }
        while (std::next_permutation(order.begin(), order.end()));
    }
}

TEST_CASE("PhaseSizes: an all-gather of its own grows from the shard to all shards",
          "[unit][system]")
{
    const RankGrid members({3, 2});
    const PhaseSizes sizes = MakeSizes(members);
    const ChunkSchedule chunk = MakeUniformChunk(5, CollectiveType::AllGather, {1, 0});
    for (uint32_t member = 0; member < members.RankCount(); ++member)
    {
        CHECK(sizes.ElementsBefore(chunk, 0, member) == 5);
        CHECK(sizes.ShapeOf(chunk, 0, member).elements == 5 * 2);
        CHECK(sizes.ShapeOf(chunk, 1, member).elements == 5 * 2 * 3);
        CHECK(ElementsAfter(sizes, chunk, member) == 5 * 6);
    }
}

TEST_CASE("PhaseSizes: all-reduces on each dimension, all-to-all and broadcast keep the size",
          "[unit][system]")
{
    const RankGrid members({3, 2});
    const PhaseSizes sizes = MakeSizes(members);
    for (const CollectiveType type : {CollectiveType::AllReduce,
                                      CollectiveType::AllToAll,
                                      CollectiveType::Broadcast,
                                      CollectiveType::Reduce})
    {
        const ChunkSchedule chunk = MakeUniformChunk(11, type, {0, 1});
        CHECK(sizes.ShapeOf(chunk, 0, 4).elements == 11);
        CHECK(sizes.ShapeOf(chunk, 1, 4).elements == 11);
        CHECK(ElementsAfter(sizes, chunk, 4) == 11);
    }
}

TEST_CASE("PhaseSizes: a broadcast reaches a line, then the lines across it", "[unit][system]")
{
    const RankGrid members({3, 2});
    const PhaseSizes sizes = MakeSizes(members, 4); // at (1, 1)
    const ChunkSchedule chunk = MakeUniformChunk(11, CollectiveType::Broadcast, {1, 0});

    // Along dimension 1 only the line through the root; its members are (1, 0) and (1, 1).
    CHECK(Participants(members, sizes, chunk, 0) == std::vector<uint32_t>{1, 4});
    CHECK(sizes.ShapeOf(chunk, 0, 1).root == 1);
    // Then both lines along dimension 0, each from its member that got the data.
    CHECK(Participants(members, sizes, chunk, 1).size() == 6);
    CHECK(sizes.ShapeOf(chunk, 1, 0).root == 1);
    CHECK(sizes.ShapeOf(chunk, 1, 5).root == 1);
    CHECK(LinesAgree(members, sizes, chunk));
}

TEST_CASE("PhaseSizes: a reduce runs on all lines, then on the one through the root",
          "[unit][system]")
{
    const RankGrid members({3, 2});
    const PhaseSizes sizes = MakeSizes(members, 5); // at (2, 1)
    const ChunkSchedule chunk = MakeUniformChunk(11, CollectiveType::Reduce, {0, 1});

    CHECK(Participants(members, sizes, chunk, 0).size() == 6);
    CHECK(sizes.ShapeOf(chunk, 0, 0).root == 2);
    CHECK(Participants(members, sizes, chunk, 1) == std::vector<uint32_t>{2, 5});
    CHECK(sizes.ShapeOf(chunk, 1, 2).root == 1);
    CHECK(LinesAgree(members, sizes, chunk));
}

TEST_CASE("PhaseSizes: a scatter starts from all shards and ends with one", "[unit][system]")
{
    const RankGrid members({3, 2});
    const PhaseSizes sizes = MakeSizes(members, 4);
    const ChunkSchedule chunk = MakeUniformChunk(5, CollectiveType::Scatter, {1, 0});

    CHECK(sizes.ShapeOf(chunk, 0, 4).elements == 5 * 6);
    CHECK(sizes.ShapeOf(chunk, 1, 4).elements == 5 * 3);
    CHECK(ElementsAfter(sizes, chunk, 4) == 5);
    CHECK(Participants(members, sizes, chunk, 0) == std::vector<uint32_t>{1, 4});
    CHECK(Participants(members, sizes, chunk, 1).size() == 6);
}

TEST_CASE("PhaseSizes: a gather mirrors the scatter", "[unit][system]")
{
    const RankGrid members({3, 2});
    const PhaseSizes sizes = MakeSizes(members, 4);
    const ChunkSchedule chunk = MakeUniformChunk(5, CollectiveType::Gather, {0, 1});

    CHECK(sizes.ShapeOf(chunk, 0, 4).elements == 5 * 3);
    CHECK(sizes.ShapeOf(chunk, 1, 4).elements == 5 * 6);
    CHECK(ElementsAfter(sizes, chunk, 4) == 5 * 6);
    CHECK(Participants(members, sizes, chunk, 0).size() == 6);
    CHECK(Participants(members, sizes, chunk, 1) == std::vector<uint32_t>{1, 4});
}

TEST_CASE("PhaseSizes: rooted collectives touch every member in every order of dimensions",
          "[unit][system]")
{
    const RankGrid members({2, 3, 2});
    std::vector<uint32_t> order = {0, 1, 2};
    do
    {
        for (uint32_t root = 0; root < members.RankCount(); ++root)
        {
            const PhaseSizes sizes = MakeSizes(members, root);
            const ChunkSchedule spread = MakeUniformChunk(4, CollectiveType::Broadcast, order);
            const ChunkSchedule collect = MakeUniformChunk(4, CollectiveType::Reduce, order);
            // Each phase of a broadcast multiplies the members that have the data.
            uint32_t reached = 1;
            for (uint32_t phase = 0; phase < 3; ++phase)
            {
                reached *= members.Size(order[phase]);
                REQUIRE(Participants(members, sizes, spread, phase).size() == reached);
            }
            uint32_t holding = members.RankCount();
            for (uint32_t phase = 0; phase < 3; ++phase)
            {
                REQUIRE(Participants(members, sizes, collect, phase).size() == holding);
                holding /= members.Size(order[phase]);
            }
        }
    }
    while (std::next_permutation(order.begin(), order.end()));
}
