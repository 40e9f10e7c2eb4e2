// SPDX-License-Identifier: GPL-2.0-only
#include "common/hash.h"
#include "common/rate-texts.h"
#include "common/unit-parser.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

/// Numbers of every magnitude: around powers of 10, of 2 and of 1024, simple fractions of those,
/// and scattered ones.
std::vector<int64_t>
MakeSamples()
{
    constexpr int64_t max = std::numeric_limits<int64_t>::max();
    std::vector<int64_t> samples{1, 2, 3, 5, max - 1, max};
    for (const int64_t base : {2, 10})
    {
        for (int64_t power = base; power <= max / (base * 5); power *= base)
        {
            for (const int64_t value : {power - 1, power, power + 1, power / 2 * 3, power * 5})
            {
                samples.push_back(value);
            }
        }
    }
    for (uint64_t i = 0; i < 2000; ++i)
    {
        const uint64_t word = Hash64({i});
        samples.push_back(static_cast<int64_t>((word >> 1) >> (i % 60)) + 1);
    }
    return samples;
}

} // namespace

TEST_CASE("ToText: what it writes parses back to the same value", "[unit][common]")
{
    for (const int64_t value : MakeSamples())
    {
        const Bytes size(value);
        const auto rate = Bandwidth::FromBitsPerSecond(value);
        const SimTime time = SimTime::FromPs(value);
        const FlopRate flopRate = FlopRate::FromFlopsPerSecond(value);
        REQUIRE(ParseBytes(ToText(size)) == size);
        REQUIRE(ParseBandwidth(ToText(rate)) == rate);
        REQUIRE(ParseTime(ToText(time)) == time);
        REQUIRE(ParseFlopRate(ToText(flopRate)) == flopRate);
    }
}

TEST_CASE("ToText: never longer than the plain number of base units", "[unit][common]")
{
    for (const int64_t value : MakeSamples())
    {
        const std::string plain = std::to_string(value) + " ps";
        REQUIRE(ToText(SimTime::FromPs(value)).size() <= plain.size());
    }
}

TEST_CASE("ToText: picks the unit that makes the text short", "[unit][common]")
{
    CHECK(ToText(ParseBandwidth("62 GB/s")) == "62 GB/s");
    CHECK(ToText(ParseBandwidth("37.5 GB/s")) == "300 Gb/s");
    CHECK(ToText(ParseBandwidth("31.25 GB/s")) == "250 Gb/s");
    CHECK(ToText(ParseTime("500 ns")) == "500 ns");
    CHECK(ToText(ParseTime("1500 ns")) == "1.5 us");
    CHECK(ToText(Bytes(4 * 1024 * 1024)) == "4 MiB");
    CHECK(ToText(Bytes(4'000'000)) == "4 MB");
    CHECK(ToText(Bytes(4097)) == "4097 B");
    CHECK(ToText(ParseFlopRate("312 TFLOP/s")) == "312 TFLOP/s");
}

TEST_CASE("ToText: of equally short texts that in the largest unit with a number from 1 on",
          "[unit][common]")
{
    CHECK(ToText(Bytes(1500)) == "1.5 KB");               // not "1500 B"
    CHECK(ToText(SimTime::FromPs(21'170)) == "21.17 ns"); // not "21170 ps"
    CHECK(ToText(ParseTime("0.5 us")) == "500 ns");       // not "0.5 us"
    CHECK(ToText(ParseBandwidth("8 Gb/s")) == "1 GB/s");  // not "8 Gb/s"
}

TEST_CASE("ToText: zero has a unit too", "[unit][common]")
{
    CHECK(ToText(Bytes(0)) == "0 B");
    CHECK(ParseTime(ToText(SimTime{})) == SimTime{});
}

TEST_CASE("ToRoundedText: three significant digits in the unit that fits", "[unit][common]")
{
    CHECK(ToRoundedText(ParseTime("1.23556 ms")) == "1.24 ms");
    CHECK(ToRoundedText(ParseTime("12.3456 us")) == "12.3 us");
    CHECK(ToRoundedText(ParseTime("123.56 us")) == "124 us");
    CHECK(ToRoundedText(ParseTime("7200 s")) == "7200 s");
    CHECK(ToRoundedText(ParseTime("999 ps")) == "999 ps");
    CHECK(ToRoundedText(ParseBandwidth("62 GB/s")) == "496 Gb/s");
    CHECK(ToRoundedText(ParseBandwidth("1.25 KB/s")) == "10 Kb/s");
    CHECK(ToRoundedText(Bytes(64 << 20)) == "64 MiB");
    CHECK(ToRoundedText(Bytes(1023)) == "1023 B");
    CHECK(ToRoundedText(Bytes(1536)) == "1.5 KiB");
    CHECK(ToRoundedText(Bytes(0)) == "0 B");
    CHECK(ToRoundedText(SimTime{}) == "0 ps");
}

TEST_CASE("ToRoundedText: what rounds up to a whole of the next unit is said in that unit",
          "[unit][common]")
{
    CHECK(ToRoundedText(SimTime::FromPs(999'499)) == "999 ns");
    CHECK(ToRoundedText(SimTime::FromPs(999'500)) == "1 us");
    CHECK(ToRoundedText(SimTime::FromPs(9'995)) == "10 ns");
    CHECK(ToRoundedText(SimTime::FromPs(99'950)) == "100 ns");
    CHECK(ToRoundedText(Bytes((1 << 20) - 1)) == "1 MiB");
    CHECK(ToRoundedText(Bytes(std::numeric_limits<int64_t>::max())) == "8388608 TiB");
}

TEST_CASE("ToTextsInOneUnit: rates of one sentence have one unit, the one that is read most easily",
          "[unit][common]")
{
    using Texts = std::vector<std::string>;
    const auto texts = [](const Texts& rates)
    {
        std::vector<Bandwidth> values;
        for (const std::string& rate : rates)
        {
            values.push_back(ParseBandwidth(rate));
        }
        return ToTextsInOneUnit(values);
    };
    CHECK(texts({"50 GB/s", "3.6 Tb/s"}) == Texts{"50 GB/s", "450 GB/s"});
    CHECK(texts({"100 Gb/s", "400 Gb/s"}) == Texts{"100 Gb/s", "400 Gb/s"});
    CHECK(texts({"3.6 Tb/s"}) == Texts{"3.6 Tb/s"});
    CHECK(texts({"1 b/s", "1 GB/s"}) == Texts{"1 b/s", "8000000000 b/s"});
    CHECK(texts({}).empty());
}
