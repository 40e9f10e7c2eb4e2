// SPDX-License-Identifier: GPL-2.0-only
// What-if: experts that are spread over ranks, or no more, and experts of a single copy.
#include "tests/support/config-error-text.h"
#include "tests/support/what-if-bench.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

namespace
{

/// Eight experts on four copies.
ModelValues
Mixture(ModelValues values)
{
    values.merge(ModelValues{{"experts", "8"}, {"top-k", "2"}, {"dp", "4"}, {"batch", "8"}});
    return values;
}

WhatIfPair
Spread(ModelValues values, const std::string& from, const std::string& to)
{
    return SizeOf(Mixture(std::move(values)), "ep", from, to);
}

} // namespace

TEST_CASE("What-if: experts of all copies are spread over some of them, and back",
          "[unit][what-if][shapes]")
{
    CheckPairs({
        Spread({}, "1", "2"),
        Spread({{"mlp", "gated"}, {"shared-experts", "1"}}, "2", "1"),
        Spread({{"tp", "2"}, {"sp", "on"}}, "1", "2"),
        Spread({{"pp", "2"}, {"layers", "4"}, {"recompute", "full"}}, "1", "2"),
        Spread({{"zero", "1"}, {"pp", "2"}, {"layers", "4"}}, "1", "2"),
        Spread({{"zero", "3"}, {"recompute", "full"}}, "1", "2"),
        Spread({{"tp", "4"}, {"sp", "on"}, {"zero", "2"}, {"schedule", "gpipe"}}, "2", "1"),
    });
}

TEST_CASE("What-if: experts of a single copy are summed with others, and the other way round",
          "[unit][what-if][shapes]")
{
    CheckPairs({
        Spread({}, "2", "4"),
        Spread({{"tp", "2"}, {"sp", "on"}, {"mlp", "gated"}}, "4", "2"),
        Spread({{"pp", "2"}, {"layers", "4"}, {"recompute", "full"}}, "1", "4"),
        Spread({{"zero", "1"}, {"shared-experts", "2"}}, "1", "4"),
        Spread({{"zero", "3"}, {"tp", "2"}, {"sp", "on"}}, "2", "4"),
        Spread({{"zero", "2"}, {"recompute", "selective"}}, "4", "1"),
    });
}

TEST_CASE("What-if: experts are spread anew beside other edits", "[unit][what-if][shapes]")
{
    CheckPairs({
        SizesOf(Mixture({}),
                {{"ep", "1"}, {"tp", "1"}, {"sp", "off"}, {"hidden", "64"}},
                {{"ep", "4"}, {"tp", "2"}, {"sp", "on"}, {"hidden", "96"}}),
        SizesOf(Mixture({{"pp", "2"}}),
                {{"ep", "1"}, {"layers", "4"}, {"ffn", "192"}},
                {{"ep", "2"}, {"layers", "8"}, {"ffn", "96"}}),
        SizesOf(Mixture({{"layers", "4"}}),
                {{"ep", "4"}, {"pp", "1"}, {"batch", "8"}},
                {{"ep", "1"}, {"pp", "2"}, {"batch", "8"}}),
        SizesOf(
            Mixture({{"ep", "4"}, {"recompute", "full"}}), {{"layers", "3"}}, {{"layers", "5"}}),
        SizesOf(Mixture({{"ep", "4"}, {"layers", "8"}, {"tp", "2"}, {"sp", "on"}}),
                {{"pp", "2"}},
                {{"pp", "4"}}),
        SizesOf(Mixture({{"ep", "4"}, {"layers", "4"}}), {{"pp", "1"}}, {{"pp", "2"}}),
        SizesOf(Mixture({}),
                {{"ep", "2"}, {"dp", "2"}, {"batch", "4"}},
                {{"ep", "1"}, {"dp", "6"}, {"batch", "12"}}),
        SizesOf(Mixture({{"layers", "4"}, {"positions", "rotary"}}),
                {{"ep", "1"}, {"dp", "1"}, {"batch", "2"}},
                {{"ep", "4"}, {"dp", "4"}, {"batch", "8"}}),
        SizesOf(Mixture({{"tp", "2"}, {"sp", "on"}}),
                {{"ep", "2"}, {"dp", "2"}, {"batch", "2"}},
                {{"ep", "4"}, {"dp", "8"}, {"batch", "8"}}),
        SizesOf(Mixture({{"zero", "1"}}),
                {{"ep", "4"}, {"dp", "4"}, {"batch", "4"}, {"hidden", "64"}, {"pp", "2"}},
                {{"ep", "8"}, {"dp", "8"}, {"batch", "8"}, {"hidden", "128"}, {"pp", "2"}}),
    });
}

TEST_CASE("What-if: copies become as many as share experts, and more of these",
          "[unit][what-if][shapes]")
{
    const auto copies = [](ModelValues values,
                           const std::string& ep,
                           const std::string& from,
                           const std::string& to)
    {
        values["ep"] = ep;
        return SizesOf(Mixture(std::move(values)),
                       {{"dp", from}, {"batch", from}},
                       {{"dp", to}, {"batch", to}});
    };
    CheckPairs({
        copies({}, "2", "2", "4"),
        copies({{"tp", "2"}, {"sp", "on"}, {"mlp", "gated"}}, "4", "4", "8"),
        copies({{"pp", "2"}, {"layers", "4"}, {"recompute", "full"}}, "2", "6", "2"),
        copies({{"zero", "1"}}, "2", "2", "4"),
        copies({{"zero", "3"}, {"shared-experts", "1"}}, "2", "4", "2"),
    });
}

} // namespace nadi::test
