// SPDX-License-Identifier: GPL-2.0-only
#include "common/text.h"

#include <catch2/catch.hpp>

using namespace nadi;

TEST_CASE("FindNearest: two edits are near, three are not", "[unit][common]")
{
    CHECK(FindNearest("bandwith", {"latency", "bandwidth"}) == "bandwidth");
    CHECK(FindNearest("lateny", {"latency", "bandwidth"}) == "latency");
    CHECK(FindNearest("abxyef", {"abcdef"}) == "abcdef");
    CHECK(FindNearest("axyzef", {"abcdef"}) == "");
}

TEST_CASE("FindNearest: a long word may differ in a third of its letters", "[unit][common]")
{
    CHECK(FindNearest("concurent-colectve", {"concurrent-collectives"}) ==
          "concurrent-collectives"); // 4 edits, 18 letters
    CHECK(FindNearest("abcdefghixxx", {"abcdefghijkl"}) == "abcdefghijkl");
    CHECK(FindNearest("abcdefgxxxxx", {"abcdefghijkl"}) == "");
}

TEST_CASE("FindNearest: a word needs a letter in common", "[unit][common]")
{
    CHECK(FindNearest("ab", {"xy"}) == "");
    CHECK(FindNearest("", {"xy", "x"}) == "");
    CHECK(FindNearest("ab", {"ax"}) == "ax");
}

TEST_CASE("FindNearest: the beginning of one word alone means that word", "[unit][common]")
{
    CHECK(FindNearest("seq", {"sp", "sequence"}) == "sequence");
    CHECK(FindNearest("lay", {"layers", "layout"}) == "");
    CHECK(FindNearest("se", {"sp", "sequence"}) == "sp"); // two letters begin many words
}

TEST_CASE("FindNearest: case does not count", "[unit][common]")
{
    CHECK(FindNearest("RING", {"mesh", "ring"}) == "ring");
}

TEST_CASE("FindNearest: the nearest wins, and the first of equals", "[unit][common]")
{
    CHECK(FindNearest("rings", {"rinks", "ring", "rings"}) == "rings");
    CHECK(FindNearest("rine", {"ring", "rink"}) == "ring");
    CHECK(FindNearest("ring", {}) == "");
}

TEST_CASE("JoinWithOr: commas, and an or before the last", "[unit][common]")
{
    CHECK(JoinWithOr({}) == "");
    CHECK(JoinWithOr({"a"}) == "a");
    CHECK(JoinWithOr({"a", "b"}) == "a or b");
    CHECK(JoinWithOr({"a", "b", "c"}) == "a, b or c");
}

TEST_CASE("CountText: one is no plural", "[unit][common]")
{
    CHECK(CountText(0, "rank") == "0 ranks");
    CHECK(CountText(1, "rank") == "1 rank");
    CHECK(CountText(2, "rank") == "2 ranks");
    CHECK(CountText(1, "switch") == "1 switch");
    CHECK(CountText(2, "switch") == "2 switches");
    CHECK(CountText(2, "memory") == "2 memories");
    CHECK(CountText(2, "way") == "2 ways");
}

TEST_CASE("SuggestFrom: the near word, else all words", "[unit][common]")
{
    CHECK(SuggestFrom("rign", {"mesh", "ring"}) == " (did you mean ring?)");
    CHECK(SuggestFrom("torus", {"mesh", "ring"}) == "; known: mesh, ring");
    CHECK(SuggestFrom("torus", {}) == "; known: none");
}

TEST_CASE("MatchesPattern: a star stands for any letters, also for none", "[unit][common]")
{
    CHECK(MatchesPattern("leaf12", "leaf*"));
    CHECK(MatchesPattern("leaf", "leaf*"));
    CHECK(MatchesPattern("job.3.et", "*.*.et"));
    CHECK(MatchesPattern("", "*"));
    CHECK_FALSE(MatchesPattern("leaf12", "leaf"));
    CHECK_FALSE(MatchesPattern("a", "a*a")); // the parts do not overlap
    CHECK_FALSE(MatchesPattern("spine1", "leaf*"));
    // Each part is looked for once, however many stars there are.
    std::string stars;
    for (int part = 0; part < 200; ++part)
    {
        stars += "*a";
    }
    CHECK_FALSE(MatchesPattern(std::string(5000, 'a') + "b", stars));
}
