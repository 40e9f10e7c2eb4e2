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

TEST_CASE("Long names are shortened between letters, also where these have several bytes",
          "[unit][cli]")
{
    const std::string letter = "\xc3\xa4"; // a umlaut
    const auto repeat = [&letter](size_t count)
    {
        std::string text;
        for (size_t at = 0; at < count; ++at)
        {
            text += letter;
        }
        return text;
    };
    CHECK(ShortenName(std::string(40, 'a')) == std::string(29, 'a') + "...");
    CHECK(ShortenName(repeat(40)) == repeat(14) + "...");
    CHECK(ShortenMiddle(std::string(60, 'a')) ==
          std::string(22, 'a') + "..." + std::string(23, 'a'));
    CHECK(ShortenMiddle("a" + repeat(40)) == "a" + repeat(10) + "..." + repeat(11));
    CHECK(CutLetters(repeat(2), 9) == repeat(2));
    CHECK(CutLetters("\xf0\x9f\x98\x80", 3).empty());
}

TEST_CASE("LeftOutText: says how many rows a table lacks", "[unit][cli]")
{
    CHECK(LeftOutText(16, 16, "ranks").empty());
    CHECK(LeftOutText(20, 16, "ranks") == "  4 more ranks; --json has them all\n");
}

TEST_CASE("FindFirst: the first under an order, of equals the lowest", "[unit][cli]")
{
    const std::vector<int> values{3, 9, 9, 1};
    const auto isLarger = [&](size_t a, size_t b) { return values[a] > values[b]; };
    CHECK(FindFirst(values.size(), 3, isLarger) == std::vector<size_t>{1, 2, 0});
    CHECK(FindFirst(values.size(), 9, isLarger).size() == values.size());
}
