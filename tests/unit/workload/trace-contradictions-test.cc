// SPDX-License-Identifier: GPL-2.0-only
// Attributes that a node of a binary trace has twice.
#include "tests/support/parse-trace.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

TraceNode
MakeReduce()
{
    return TraceNode(1, ChakraProtoMsg::COMM_COLL_NODE)
        .Int("comm_type", ChakraProtoMsg::ALL_REDUCE)
        .Int("comm_size", 64);
}

std::string
ContradictionOf(const std::string& name)
{
    return "test.et: node 1 \"node\": has \"" + name +
           "\" twice, or under two names, with different values; write it once";
}

} // namespace

TEST_CASE("Contradictions: an attribute with two different values is refused", "[unit][workload]")
{
    CHECK(NodeErrorOf(MakeReduce()) == "");
    CHECK(NodeErrorOf(MakeReduce().Int("comm_size", 128)) == ContradictionOf("comm_size"));
    CHECK(NodeErrorOf(MakeReduce().Text("pg_name", "1").Int("comm_group", 2)) ==
          ContradictionOf("comm_group"));
    CHECK(NodeErrorOf(MakeReduce().Text("in_split_size", "[1, 2]").Text("in_split_size", "[2, 1]")) ==
          ContradictionOf("in_split_size"));
}

TEST_CASE("Contradictions: equal values are none, whatever their types and names",
          "[unit][workload]")
{
    CHECK(NodeErrorOf(MakeReduce().Int("comm_size", 64)) == "");
    CHECK(NodeErrorOf(MakeReduce().Text("pg_name", "1").Int("comm_group", 1)) == "");
    // What means nothing may stand anywhere.
    CHECK(NodeErrorOf(MakeReduce().Int("color", 1).Int("color", 2)) == "");
}

TEST_CASE("Contradictions: of one node, they are not those of the next", "[unit][workload]")
{
    CHECK(ConfigErrorText(
              []
              {
                  ParseNodes({MakeReduce(),
                              TraceNode(2, ChakraProtoMsg::COMM_COLL_NODE)
                                  .Int("comm_type", ChakraProtoMsg::ALL_REDUCE)
                                  .Int("comm_size", 128)});
              }) == "");
}
