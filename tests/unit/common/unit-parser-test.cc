// SPDX-License-Identifier: GPL-2.0-only
#include "common/unit-parser.h"
#include "tests/support/unit-error-text.h"

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

template <class Parse>
std::string
ErrorOfParsing(Parse parse, const std::string& text)
{
    return UnitErrorText([&] { parse(text); });
}

using Factors = std::vector<std::pair<std::string, int64_t>>;

constexpr int64_t K = 1000;
constexpr int64_t KI = 1024;

const Factors SIZE_FACTORS{{"B", 1},
                           {"KB", K},
                           {"MB", K* K},
                           {"GB", K* K* K},
                           {"TB", K* K* K* K},
                           {"KiB", KI},
                           {"MiB", KI* KI},
                           {"GiB", KI* KI* KI},
                           {"TiB", KI* KI* KI* KI}};

} // namespace

TEST_CASE("ParseBytes: every unit has its factor", "[unit][common]")
{
    for (const auto& [unit, factor] : SIZE_FACTORS)
    {
        CHECK(ParseBytes("3 " + unit).Count() == 3 * factor);
        CHECK(ParseBytes("3" + unit).Count() == 3 * factor);
    }
}

TEST_CASE("ParseBandwidth: bytes count eight bits, in every unit", "[unit][common]")
{
    for (const auto& [unit, factor] : SIZE_FACTORS)
    {
        CHECK(ParseBandwidth("3 " + unit + "/s").BitsPerSecond() == 3 * 8 * factor);
    }
    int64_t factor = 1;
    for (const char* unit : {"b/s", "Kb/s", "Mb/s", "Gb/s", "Tb/s"})
    {
        CHECK(ParseBandwidth(std::string("7 ") + unit).BitsPerSecond() == 7 * factor);
        factor *= K;
    }
}

TEST_CASE("ParseTime: every unit is a thousand times the one before", "[unit][common]")
{
    int64_t factor = 1;
    for (const char* unit : {"ps", "ns", "us", "ms", "s"})
    {
        CHECK(ParseTime(std::string("5 ") + unit).Ps() == 5 * factor);
        factor *= K;
    }
}

TEST_CASE("ParseFlopRate: every unit is a thousand times the one before", "[unit][common]")
{
    int64_t factor = 1;
    for (const char* unit : {"FLOP/s", "KFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"})
    {
        CHECK(ParseFlopRate(std::string("2 ") + unit).FlopsPerSecond() == 2 * factor);
        factor *= K;
    }
}

TEST_CASE("ParseBandwidth: decimal fractions are exact", "[unit][common]")
{
    CHECK(ParseBandwidth("37.5 GB/s").BitsPerSecond() == 300 * K * K * K);
    CHECK(ParseBandwidth("62 GB/s").BitsPerSecond() == 496 * K * K * K);
    CHECK(ParseBandwidth("0.1 Gb/s").BitsPerSecond() == 100 * K * K);
    // 900719925474099.3 bytes are 8 * 900719925474099 + 2.4 bits; a double would be off.
    CHECK(ParseBandwidth("900719.9254740993 GB/s").BitsPerSecond() == 8 * 900719925474099 + 2);
}

TEST_CASE("ParseBytes: a fraction is allowed where it comes to whole bytes", "[unit][common]")
{
    CHECK(ParseBytes("1.5 KiB").Count() == 1536);
    CHECK(ParseBytes("0.0009765625 KiB").Count() == 1);
    CHECK(ParseBytes("0 B").Count() == 0);
    CHECK(ErrorOfParsing(ParseBytes, "0.5 B") ==
          "\"0.5 B\" does not come to whole bytes; write \"1 B\" or \"1 KiB\"");
    CHECK(ErrorOfParsing(ParseBytes, "1.0001 KB") ==
          "\"1.0001 KB\" does not come to whole bytes; write \"1 B\" or \"1 KiB\"");
}

TEST_CASE("ParseTime: a fraction of a picosecond rounds to the nearest, half up", "[unit][common]")
{
    CHECK(ParseTime("0.4999 ps").Ps() == 0);
    CHECK(ParseTime("0.5 ps").Ps() == 1);
    CHECK(ParseTime("21.1704 ns").Ps() == 21170);
    CHECK(ParseTime("21.1705 ns").Ps() == 21171);
    CHECK(ParseTime("0.499999999999999999 ps").Ps() == 0);
}

TEST_CASE("ParseTime: needless zeros and spaces change nothing", "[unit][common]")
{
    CHECK(ParseTime("  000500.000000000000000000000000 ns\n").Ps() == 500 * K);
    CHECK(ParseTime("1\tus").Ps() == K * K);
    CHECK(ParseTime("00000000000000000000000000 s").Ps() == 0);
}

TEST_CASE("ParseTime: the largest value is 2^63 - 1 ps", "[unit][common]")
{
    CHECK(ParseTime("9223372036854775807 ps") == SimTime::Max());
    CHECK(ParseTime("9223372.036854775807 s") == SimTime::Max());
    for (const char* text : {"9223372036854775808 ps",
                             "9223372.036854775808 s",
                             "9999999999999999999 s",
                             "10000000000000000000 ps"})
    {
        CHECK(ErrorOfParsing(ParseTime, text) ==
              '"' + std::string(text) + "\" is too large; write \"1 ns\" or \"1 us\"");
    }
}

TEST_CASE("ParseBandwidth: a number without a unit is told both usual ones", "[unit][common]")
{
    CHECK(ErrorOfParsing(ParseBandwidth, "62") ==
          "\"62\" has no unit; write \"62 GB/s\" or \"62 Gb/s\"");
    CHECK(ErrorOfParsing(ParseBandwidth, " 37.5 ") ==
          "\"37.5\" has no unit; write \"37.5 GB/s\" or \"37.5 Gb/s\"");
    CHECK(ErrorOfParsing(ParseBytes, "4096") ==
          "\"4096\" has no unit; write \"4096 B\" or \"4096 KiB\"");
    CHECK(ErrorOfParsing(ParseTime, "10") == "\"10\" has no unit; write \"10 ns\" or \"10 us\"");
    CHECK(ErrorOfParsing(ParseFlopRate, "312") ==
          "\"312\" has no unit; write \"312 TFLOP/s\" or \"312 GFLOP/s\"");
}

TEST_CASE("ParseTime: empty, negative and senseless texts are errors", "[unit][common]")
{
    const std::string advice = "; write \"1 ns\" or \"1 us\"";
    CHECK(ErrorOfParsing(ParseTime, "") == "\"\" is empty" + advice);
    CHECK(ErrorOfParsing(ParseTime, " \t") == "\"\" is empty" + advice);
    CHECK(ErrorOfParsing(ParseTime, "-5 ns") == "\"-5 ns\" is negative" + advice);
    for (const char* text : {"1.2.3 ns", "ns", ".5 ns", "5. ns", ". ns", "+5 ns", "inf s", "nan"})
    {
        CHECK(ErrorOfParsing(ParseTime, text) ==
              '"' + std::string(text) + "\" is not a number and a unit" + advice);
    }
}

TEST_CASE("ParseTime: more than 18 decimals are an error", "[unit][common]")
{
    CHECK(ErrorOfParsing(ParseTime, "0.1234567890123456789 s") ==
          "\"0.1234567890123456789 s\" has more than 18 decimals; write \"1.5 ns\" or \"1.5 us\"");
    CHECK(ParseTime("0.123456789012345678 s").Ps() == 123'456'789'012);
}

TEST_CASE("ParseBandwidth: a rate of zero is an error", "[unit][common]")
{
    CHECK(ErrorOfParsing(ParseBandwidth, "0 Gb/s") ==
          "\"0 Gb/s\" is zero, so nothing would ever end; write \"1 GB/s\" or \"1 Gb/s\"");
    CHECK(ErrorOfParsing(ParseBandwidth, "0.4 b/s") ==
          "\"0.4 b/s\" is zero, so nothing would ever end; write \"1 GB/s\" or \"1 Gb/s\"");
    CHECK(ErrorOfParsing(ParseFlopRate, "0 FLOP/s") ==
          "\"0 FLOP/s\" is zero, so nothing would ever end; write \"1 TFLOP/s\" or \"1 GFLOP/s\"");
}

TEST_CASE("ParseBandwidth: a unit in the wrong case is shown the right ones", "[unit][common]")
{
    const auto isAnswered = [](const std::string& unit, const std::string& answer)
    {
        return ErrorOfParsing(ParseBandwidth, "62 " + unit) ==
               "unknown unit \"" + unit + "\" in \"62 " + unit + "\"; write " + answer;
    };
    CHECK(isAnswered("gb/s", "\"62 GB/s\" or \"62 Gb/s\""));
    CHECK(isAnswered("gbps", "\"62 GB/s\" or \"62 Gb/s\""));
    CHECK(isAnswered("Gbps", "\"62 Gb/s\""));
    CHECK(isAnswered("GBps", "\"62 GB/s\""));
    CHECK(isAnswered("gib/s", "\"62 GiB/s\""));
    CHECK(isAnswered("GBs", "\"62 GB/s\""));
    CHECK(ErrorOfParsing(ParseBytes, "4 kib") ==
          "unknown unit \"kib\" in \"4 kib\"; write \"4 KiB\"");
    CHECK(ErrorOfParsing(ParseBytes, "4kB") == "unknown unit \"kB\" in \"4kB\"; write \"4 KB\"");
    CHECK(ErrorOfParsing(ParseTime, "4 US") == "unknown unit \"US\" in \"4 US\"; write \"4 us\"");
    CHECK(ErrorOfParsing(ParseFlopRate, "312 TFLOPS") ==
          "unknown unit \"TFLOPS\" in \"312 TFLOPS\"; write \"312 TFLOP/s\"");
}

TEST_CASE("ParseBandwidth: what is advised keeps the prefix, and bits or bytes", "[unit][common]")
{
    const auto answer = [](auto parse, const std::string& text)
    {
        const std::string error = ErrorOfParsing(parse, text);
        return error.substr(error.find("; ") + 2);
    };
    for (const char* unit : {"Gbit/s", "gbit", "GBit/s", "gbits/sec", "Gbits", "Gbitps"})
    {
        CHECK(answer(ParseBandwidth, std::string("400 ") + unit) == "write \"400 Gb/s\"");
    }
    CHECK(answer(ParseBandwidth, "400 GBytes/s") == "write \"400 GB/s\"");
    CHECK(answer(ParseBandwidth, "400 Gib/s").starts_with("known: B/s, "));
    CHECK(answer(ParseTime, "5 \u00b5s") == "write \"5 us\"");
    CHECK(answer(ParseTime, "5 \u03bcs") == "write \"5 us\"");
    CHECK(answer(ParseTime, "5 sec") == "write \"5 s\"");
    CHECK(answer(ParseTime, "5 msec") == "write \"5 ms\"");
    CHECK(answer(ParseTime, "5 min").starts_with("known: ps, "));
    CHECK(answer(ParseFlopRate, "1 EFLOP/s").starts_with("known: FLOP/s, "));
    CHECK(answer(ParseFlopRate, "1 TFLOP") == "write \"1 TFLOP/s\"");
    CHECK(answer(ParseBytes, "64 bytes") == "write \"64 B\"");
    CHECK(answer(ParseBytes, "64 mb") == "write \"64 MB\"");
    CHECK(answer(ParseBytes, "64 Ki") == "write \"64 KiB\"");
    for (const char* unit : {"bit", "Mb", "Mbit"})
    {
        const std::string known = answer(ParseBytes, std::string("64 ") + unit);
        CHECK(known == "known: B, KB, MB, GB, TB, KiB, MiB, GiB or TiB; 8 bits are 1 B");
    }
    CHECK(answer(ParseBytes, "32 MB/s") == "write \"32 MB\"");
    CHECK(answer(ParseBytes, "32 Mb/s") == "write \"32 B\" or \"32 KiB\"");
    CHECK(answer(ParseBandwidth, "62 MB") == "write \"62 MB/s\" or \"62 Mb/s\"");
    CHECK(ErrorOfParsing(ParseBytes, "6 4 MB") ==
          "\"6 4 MB\" is not a number and a unit; write \"1 B\" or \"1 KiB\"");
}

TEST_CASE("ParseTime: a unit like no other is told all that are known", "[unit][common]")
{
    CHECK(ErrorOfParsing(ParseTime, "4 fortnights") ==
          "unknown unit \"fortnights\" in \"4 fortnights\"; "
          "known: ps, ns, us, ms or s");
}

TEST_CASE("ParseBandwidth: a unit of another quantity is named as such", "[unit][common]")
{
    CHECK(ErrorOfParsing(ParseBandwidth, "62 GB") ==
          "\"62 GB\" is a size, not a bandwidth; write \"62 GB/s\" or \"62 Gb/s\"");
    CHECK(ErrorOfParsing(ParseBytes, "5 us") ==
          "\"5 us\" is a time, not a size; write \"5 B\" or \"5 KiB\"");
    CHECK(ErrorOfParsing(ParseTime, "62 GB/s") ==
          "\"62 GB/s\" is a bandwidth, not a time; write \"62 ns\" or \"62 us\"");
    CHECK(ErrorOfParsing(ParseFlopRate, "1 Gb/s") ==
          "\"1 Gb/s\" is a bandwidth, not a compute rate; write \"1 TFLOP/s\" or \"1 GFLOP/s\"");
    CHECK(ErrorOfParsing(ParseBandwidth, "1 TFLOP/s") ==
          "\"1 TFLOP/s\" is a compute rate, not a bandwidth; write \"1 GB/s\" or \"1 Gb/s\"");
}
