// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/extreme-value.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// The key path of the most extreme value, or "none".
std::string
Extreme(const std::string& yaml)
{
    const ScratchDirectory scratch("extreme-value");
    scratch.Write("c.yaml", yaml);
    const ConfigDocument document(scratch.Path() / "c.yaml", {});
    const ConfigNode* node = FindExtremeValue(document);
    return node ? node->Path() : "none";
}

} // namespace

TEST_CASE("FindExtremeValue: usual values are not extreme", "[unit][configuration]")
{
    CHECK(Extreme("a: {time: 999 s, rate: 1.1 Mb/s, size: 999 TB, flops: 2 MFLOP/s, count: "
                  "1000000000000, text: on}\n") == "none");
}

TEST_CASE("FindExtremeValue: of each kind of quantity, the furthest from usual ones",
          "[unit][configuration]")
{
    CHECK(Extreme("a: [{time: 1000 s}]\n") == "a[0].time");
    CHECK(Extreme("a: [{until: 9000 s, at: 9000 s, rate: 1 Mb/s}]\noutput: {series: 3000 s}\n") ==
          "a[0].rate");
    CHECK(Extreme("a: {rate: 1 Mb/s}\n") == "a.rate");
    CHECK(Extreme("a: {flops: 1 MFLOP/s}\n") == "a.flops");
    CHECK(Extreme("a: {size: 1000 TB}\n") == "a.size");
    CHECK(Extreme("a: {time: 5000 s, rate: 1 b/s}\n") == "a.rate"); // 5e3 against 1e9
    CHECK(Extreme("a: {slow: 1 Kb/s, slower: 1 b/s, fast: 1 Gb/s}\n") == "a.slower");
}

TEST_CASE("FindHighestRate: the highest rate of bits, whatever else is large",
          "[unit][configuration]")
{
    const ScratchDirectory scratch("extreme-value");
    const auto path = [&](const std::string& yaml)
    {
        scratch.Write("c.yaml", yaml);
        const ConfigDocument document(scratch.Path() / "c.yaml", {});
        const ConfigNode* node = FindHighestRate(document);
        return node ? node->Path() : "none";
    };
    CHECK(path("a: [{rate: 1 Gb/s}, {rate: 1 GB/s}, {rate: 2 Gb/s}]\n") == "a[1].rate");
    CHECK(path("a: {size: 1000 TB, time: 1000 s, flops: 9 TFLOP/s}\n") == "none");
}
