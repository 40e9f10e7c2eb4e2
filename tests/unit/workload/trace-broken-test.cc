// SPDX-License-Identifier: GPL-2.0-only
// Bytes that are no trace: each is refused, saying where and what.
#include "tests/support/config-error-text.h"
#include "tests/support/gzip.h"
#include "tests/support/trace-bytes.h"
#include "workload/trace/trace-file.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string ADVICE = "; the file is cut off or damaged, or no Chakra trace";

std::string
ErrorOf(const std::string& bytes)
{
    return ConfigErrorText([&] { ParseTrace(bytes, "x.et", DependencyPolicy::Auto); });
}

std::string
At(size_t byte, size_t nodes, const std::string& problem)
{
    return "x.et: byte " + std::to_string(byte) + ", after " + std::to_string(nodes) +
           (nodes == 1 ? " node: " : " nodes: ") + problem + ADVICE;
}

} // namespace

TEST_CASE("Broken trace: an empty file", "[unit][workload]")
{
    CHECK(ErrorOf("") == "x.et: is empty; a trace has a frame for each node");
    CHECK(ErrorOf(Gzip("")) == "x.et: is empty; a trace has a frame for each node");
}

TEST_CASE("Broken trace: one that has the letters of an archive in a name is none",
          "[unit][workload]")
{
    std::string name;
    while (name.size() < 600)
    {
        name += "ustar";
    }
    for (size_t shift = 0; shift < 5; ++shift)
    {
        // One of the five has them where an archive does, at byte 257.
        TraceNode node = TraceNode(1, ChakraProtoMsg::COMP_NODE, name.substr(shift)).Cpu(false);
        CHECK(ErrorOf(MakeTrace({node})).empty());
    }
}

TEST_CASE("Broken trace: cut off within a node", "[unit][workload]")
{
    const std::string whole = MakeTrace({Kernel(1), Kernel(2)});
    const std::string last = Kernel(2).Message().SerializeAsString();
    REQUIRE(last.size() > 3);
    const std::string bytes = whole.substr(0, whole.size() - 3);
    CHECK(ErrorOf(bytes) == At(whole.size() - last.size(),
                               1,
                               std::to_string(last.size()) + " bytes should follow, but " +
                                   std::to_string(last.size() - 3) + " do"));
}

TEST_CASE("Broken trace: a name that is not UTF-8, which results would have to hold",
          "[unit][workload]")
{
    std::string bytes = MakeTrace({Kernel(1), TraceNode(2, ChakraProtoMsg::COMP_NODE, "caf?")});
    const size_t name = bytes.find("caf?");
    REQUIRE(name != std::string::npos);
    bytes[name + 3] = '\xe9'; // e with an acute accent, in Latin-1
    CHECK(ErrorOf(bytes) == At(name, 1, "text that is not UTF-8"));
}

TEST_CASE("Broken trace: cut off within a length", "[unit][workload]")
{
    const std::string whole = MakeTrace({Kernel(1)});
    CHECK(ErrorOf(whole + "\x90") == At(whole.size(), 1, "a number is cut off"));
}

TEST_CASE("Broken trace: a length past the end", "[unit][workload]")
{
    const std::string whole = MakeTrace({Kernel(1)});
    CHECK(ErrorOf(whole + Varint(1'000'000) + "abc") ==
          At(whole.size() + Varint(1'000'000).size(), 1, "1000000 bytes should follow, but 3 do"));
}

TEST_CASE("Broken trace: a length of more than 32 bits", "[unit][workload]")
{
    CHECK(ErrorOf(Varint(uint64_t{1} << 32) + "abc") ==
          At(0, 0, "4294967296 cannot be the length of a node"));
    CHECK(ErrorOf(std::string(11, '\xff')) == At(0, 0, "a number is longer than 10 bytes"));
}

TEST_CASE("Broken trace: a text", "[unit][workload]")
{
    const std::string text = "HYBRID 3 layers\n";
    // 'H' is 72: so many bytes should follow the first.
    CHECK(ErrorOf(text) == At(1, 0, "72 bytes should follow, but 15 do"));
}

TEST_CASE("Broken trace: a field of a wire type that protobuf has no more", "[unit][workload]")
{
    const std::string good = MakeTrace({Kernel(1)});
    CHECK(ErrorOf(good + Frame("\x13\x14")) == At(good.size() + 1, 1, "3 is not a wire type"));
    CHECK(ErrorOf(good + Frame("\x0e")) == At(good.size() + 1, 1, "6 is not a wire type"));
}

TEST_CASE("Broken trace: field number 0", "[unit][workload]")
{
    const std::string good = MakeTrace({Kernel(1)});
    CHECK(ErrorOf(good + Frame(std::string("\x00\x05", 2))) ==
          At(good.size() + 1, 1, "0 is not a field number"));
}

TEST_CASE("Broken trace: a text in a node that runs past the node", "[unit][workload]")
{
    const std::string good = MakeTrace({Kernel(1)});
    CHECK(ErrorOf(good + Frame("\x12\x40name") + Frame(std::string(80, 'x'))) ==
          At(good.size() + 3, 1, "64 bytes should follow, but 4 do"));
}

TEST_CASE("Broken trace: an attribute that is no message", "[unit][workload]")
{
    const std::string good = MakeTrace({Kernel(1)});
    const std::string node = NumberField(1, 2) + TextField(10, "\x0f");
    CHECK(ErrorOf(good + Frame(node)) ==
          At(good.size() + 1 + node.size() - 1, 1, "7 is not a wire type"));
}

TEST_CASE("Broken trace: packed dependencies that end within a number", "[unit][workload]")
{
    const std::string good = MakeTrace({Kernel(1)});
    const std::string node = NumberField(1, 2) + TextField(5, "\x01\x80");
    CHECK(ErrorOf(good + Frame(node)) ==
          At(good.size() + 1 + node.size() - 1, 1, "a number is cut off"));
}

TEST_CASE("Broken trace: two nodes of one id", "[unit][workload]")
{
    CHECK(ErrorOf(MakeTrace({Kernel(5), Kernel(6), Kernel(5)})) ==
          "x.et: nodes 0 and 2 in order both have id 5; ids must be unique within a trace");
    CHECK(ErrorOf(MakeTrace({Kernel(5)}) + Frame("") + Frame("")) ==
          "x.et: nodes 1 and 2 in order both have id 0; ids must be unique within a trace");
}

TEST_CASE("Broken trace: a node that waits for itself", "[unit][workload]")
{
    CHECK(ErrorOf(MakeTrace({Kernel(5).Data(5)})) ==
          "x.et: the dependencies form a cycle of 1 node: 5 \"node\" -> 5; no node of it could "
          "ever start");
}

TEST_CASE("Broken trace: gzip that is cut off, damaged, or followed by something else",
          "[unit][workload]")
{
    const std::string plain = MakeTrace({Kernel(1), Kernel(2), Kernel(3)});
    const std::string packed = Gzip(plain);
    REQUIRE(ParseTrace(packed, "x.et", DependencyPolicy::Auto).graph.NodeCount() == 3);

    CHECK(ErrorOf(packed.substr(0, 12)) ==
          "x.et: the gzip file is cut off; copy or compress it again");
    const std::string damaged = "x.et: the gzip data is damaged or cut off (after ";
    CHECK(ErrorOf(packed.substr(0, packed.size() - 9)).find(damaged) == 0);
    CHECK(ErrorOf(packed + "more").find(damaged) == 0);
    std::string wrongSum = packed;
    wrongSum[packed.size() - 6] ^= 1; // of the checksum
    CHECK(ErrorOf(wrongSum).find(damaged) == 0);
}

TEST_CASE("Broken trace: gzip around a broken trace counts inflated bytes", "[unit][workload]")
{
    const std::string whole = MakeTrace({Kernel(1)});
    CHECK(ErrorOf(Gzip(whole + "\x90")) == At(whole.size(), 1, "a number is cut off"));
}

TEST_CASE("Gzip: members one after the other are one trace", "[unit][workload]")
{
    const std::string first = MakeTrace({Kernel(1)});
    const std::string second = Frame(Kernel(2).Message().SerializeAsString());
    const TraceFile trace = ParseTrace(Gzip(first) + Gzip(second), "x.et", DependencyPolicy::Auto);
    CHECK(trace.graph.NodeCount() == 2);
}

TEST_CASE("Gzip: what expands a thousandfold is read whole", "[unit][workload]")
{
    const TraceNode node(1, ChakraProtoMsg::COMP_NODE, std::string(1'000'000, 'n'));
    const TraceFile trace = ParseTrace(Gzip(MakeTrace({node})), "x.et", DependencyPolicy::Auto);
    CHECK(trace.graph.Name(0).size() == 1'000'000);
}
