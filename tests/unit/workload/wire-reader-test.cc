// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/trace-bytes.h"
#include "workload/trace/frame-reader.h"
#include "workload/trace/wire-reader.h"
#include "workload/trace/wire-text.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// What the reader says of bytes that are no message, and where.
std::string
WireErrorOf(const std::string& bytes)
{
    try
    {
        WireReader reader(bytes);
        for (WireField field; reader.Next(field);)
        {
        }
    }
    catch (const WireError& error)
    {
        return std::to_string(error.At() - bytes.data()) + ": " + error.what();
    }
    return "(no error)";
}

} // namespace

TEST_CASE("WireReader: reads varints of every length", "[unit][workload]")
{
    const uint64_t value = GENERATE(
        0U, 1U, 127U, 128U, 16383U, 16384U, uint64_t{1} << 35, uint64_t{1} << 63, ~uint64_t{0});
    const std::string bytes = NumberField(3, value) + NumberField(4, 5);
    WireReader reader(bytes);
    WireField field;
    REQUIRE(reader.Next(field));
    CHECK(field.Is(3, WireType::Varint));
    CHECK(field.value == value);
    REQUIRE(reader.Next(field));
    CHECK(field.value == 5);
    CHECK_FALSE(reader.Next(field));
}

TEST_CASE("WireReader: reads fixed numbers and bytes", "[unit][workload]")
{
    const std::string fixed64 = std::string("\x39", 1) + std::string("\0\0\0\0\0\0\xf8\x3f", 8);
    const std::string bytes = FloatField(5, 1.25F) + fixed64 + TextField(2000, "text");
    WireReader reader(bytes);
    WireField field;
    REQUIRE(reader.Next(field));
    CHECK(field.Is(5, WireType::Fixed32));
    CHECK(field.AsFloat() == 1.25F);
    REQUIRE(reader.Next(field));
    CHECK(field.Is(7, WireType::Fixed64));
    CHECK(field.AsDouble() == 1.5); // sign 0, exponent 0x3ff, first bit of the fraction
    REQUIRE(reader.Next(field));
    CHECK(field.Is(2000, WireType::Bytes));
    CHECK(field.bytes == "text");
}

TEST_CASE("WireReader: says what is no message and where", "[unit][workload]")
{
    CHECK(WireErrorOf("\x08\x80") == "1: a number is cut off");
    CHECK(WireErrorOf("\x08" + std::string(10, '\xff') + "\x01") ==
          "1: a number is longer than 10 bytes");
    CHECK(WireErrorOf("\x12\x05zz") == "2: 5 bytes should follow, but 2 do");
    CHECK(WireErrorOf("\x0d\x01\x02") == "1: 4 bytes should follow, but 2 do");
    CHECK(WireErrorOf("\x0b") == "0: 3 is not a wire type");
    CHECK(WireErrorOf(std::string("\x00\x01", 2)) == "0: 0 is not a field number");
    CHECK(WireErrorOf(Varint(uint64_t{1} << 32) + "\x01") == "0: 536870912 is not a field number");
}

TEST_CASE("AppendVarints: takes repeated numbers packed and one by one", "[unit][workload]")
{
    std::vector<uint64_t> numbers;
    const std::string packed = Varint(300) + Varint(1);
    AppendVarints({.number = 4, .type = WireType::Bytes, .bytes = packed}, numbers);
    AppendVarints({.number = 4, .type = WireType::Varint, .value = 7, .bytes = {}}, numbers);
    AppendVarints({.number = 4, .type = WireType::Fixed32, .value = 9, .bytes = {}}, numbers);
    CHECK(numbers == std::vector<uint64_t>{300, 1, 7});
}

TEST_CASE("FromZigZag: undoes the folding of signed numbers", "[unit][workload]")
{
    CHECK(FromZigZag(0) == 0);
    CHECK(FromZigZag(1) == -1);
    CHECK(FromZigZag(2) == 1);
    CHECK(FromZigZag(~uint64_t{0}) == INT64_MIN);
}

TEST_CASE("FrameReader: frames may be empty and end with the file", "[unit][workload]")
{
    const std::string bytes = Frame("one") + Frame("") + Frame(std::string(200, 'x'));
    FrameReader frames(bytes);
    std::string_view frame;
    REQUIRE(frames.Next(frame));
    CHECK(frame == "one");
    REQUIRE(frames.Next(frame));
    CHECK(frame.empty());
    REQUIRE(frames.Next(frame));
    CHECK(frame.size() == 200);
    CHECK_FALSE(frames.Next(frame));
}

TEST_CASE("MakeUtf8: refuses, at its place, what schema 1.0.0 cannot hold", "[unit][workload]")
{
    CHECK(MakeUtf8("caf\xc3\xa9") == "caf\xc3\xa9");
    const std::string bytes = "caf\xe9";
    try
    {
        MakeUtf8(bytes);
        FAIL("not refused");
    }
    catch (const WireError& error)
    {
        CHECK(error.At() == bytes.data());
        CHECK(std::string(error.what()) == "text that is not UTF-8");
    }
}
