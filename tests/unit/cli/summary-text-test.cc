// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/summary-text.h"

#include <catch2/catch.hpp>

using namespace nadi;

TEST_CASE("WrapText: lines end between words, as late as they may", "[unit][cli]")
{
    CHECK(WrapText("", 5).empty());
    CHECK(WrapText("ab cd ef", 5) == "ab cd\nef");
    CHECK(WrapText("ab cd ef", 4) == "ab\ncd\nef");
    CHECK(WrapText("toolong a b", 3) == "toolong\na b"); // a word is never cut
    CHECK(WrapText("ab cd ef", 80) == "ab cd ef");
}

TEST_CASE("FindFirst: the first under an order, of equals the lowest", "[unit][cli]")
{
    const std::vector<int> values{3, 9, 9, 1};
    const auto isLarger = [&](size_t a, size_t b) { return values[a] > values[b]; };
    CHECK(FindFirst(values.size(), 3, isLarger) == std::vector<size_t>{1, 2, 0});
    CHECK(FindFirst(values.size(), 9, isLarger).size() == values.size());
}
