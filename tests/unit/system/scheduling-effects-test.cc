// SPDX-License-Identifier: GPL-2.0-only
#include "system/scheduling/scheduling-effects.h"
#include "tests/support/schedules.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <optional>

using namespace nadi;
using namespace nadi::test;

namespace
{

using Key = SchedulingEffects::Key;

/// Whether `key` has acted on an all-reduce over so many dimensions of four.
bool
ActsOver(uint32_t dimensions, const SchedulingOptions& options, Key key)
{
    ScheduleRequest request{.type = CollectiveType::AllReduce,
                            .elements = 1 << 20,
                            .elementBytes = 1,
                            .dimensions = {}};
    for (uint32_t dimension = 0; dimension < dimensions; ++dimension)
    {
        request.dimensions.push_back(MakePlainDimension(4));
    }
    SchedulingEffects effects(options);
    effects.Look(request, PlanCollective(request, options));
    return effects.HasActed(key);
}

} // namespace

TEST_CASE("SchedulingEffects: Themis acts over two dimensions, not over one", "[unit][system]")
{
    const SchedulingOptions options{.chunks = 16, .interDimension = "themis"};
    CHECK(ActsOver(2, options, Key::InterDimension));
    CHECK(!ActsOver(1, options, Key::InterDimension));
}

TEST_CASE("SchedulingEffects: a hierarchy per dimension acts over two dimensions, not over one",
          "[unit][system]")
{
    const SchedulingOptions options{.chunks = 16, .perDimension = true};
    CHECK(ActsOver(2, options, Key::Hierarchy));
    CHECK(!ActsOver(1, options, Key::Hierarchy));
}

TEST_CASE("SchedulingEffects: lifo acts where chunks meet phases of others", "[unit][system]")
{
    const SchedulingOptions options{.chunks = 16, .intraDimension = "lifo"};
    CHECK(ActsOver(2, options, Key::IntraDimension));
    CHECK(!ActsOver(1, options, Key::IntraDimension));
}

TEST_CASE("SchedulingEffects: a number of chunks that is not the options' makes no key act",
          "[unit][system]")
{
    // One chunk crosses four and four ranks. By themselves the options would cut it into several,
    // which themis and lifo would order.
    ScheduleRequest request{.type = CollectiveType::AllReduce,
                            .elements = 1 << 20,
                            .elementBytes = 1,
                            .dimensions = {MakePlainDimension(4), MakePlainDimension(4)},
                            .chunks = 1};
    for (const std::optional<uint32_t> chunks : {std::optional<uint32_t>(), {16U}})
    {
        const SchedulingOptions options{
            .chunks = chunks, .chunksInFlight = 4, .intraDimension = "lifo"};
        SchedulingEffects effects(options);
        effects.Look(request, PlanCollective(request, options));
        CHECK(!effects.HasActed(Key::IntraDimension));
        CHECK(!effects.HasActed(Key::ChunksInFlight));
        CHECK(effects.HasActed(Key::InterDimension)); // its default
        request.chunks = 16;
        effects.Look(request, PlanCollective(request, options));
        CHECK(effects.HasActed(Key::IntraDimension));
        request.chunks = 1;
    }
}

TEST_CASE("SchedulingEffects: what stands at its default is never idle", "[unit][system]")
{
    for (const Key key :
         {Key::InterDimension, Key::IntraDimension, Key::Hierarchy, Key::ChunksInFlight})
    {
        CHECK(ActsOver(1, {}, key));
    }
}
