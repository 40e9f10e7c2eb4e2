// SPDX-License-Identifier: GPL-2.0-only
// Attributes that a node of a binary trace has twice.
#include "tests/support/parse-trace.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// An all-reduce of 64 B with one attribute more.
TraceNode
WithNumber(const std::string& name, int64_t value)
{
    TraceNode node = AllReduce(1, "1").Int("comm_size", 64);
    node.Add(name).set_int64_val(value);
    return node;
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
    CHECK(NodeErrorOf(WithNumber("comm_size", 128)) == ContradictionOf("comm_size"));
    CHECK(NodeErrorOf(WithNumber("comm_group", 2)) == ContradictionOf("comm_group"));
    TraceNode exchange = AllReduce(1).Text("in_split_size", "[1, 2]");
    exchange.Add("in_split_size").set_string_val("[2, 1]");
    CHECK(NodeErrorOf(exchange) == ContradictionOf("in_split_size"));
}

TEST_CASE("Contradictions: equal values are none, whatever their types and names",
          "[unit][workload]")
{
    CHECK(NodeErrorOf(WithNumber("comm_size", 64)) == "");
    CHECK(NodeErrorOf(WithNumber("comm_group", 1)) == "");
    // What means nothing may stand there as often as it likes.
    TraceNode colored = WithNumber("color", 1);
    colored.Add("color").set_int64_val(2);
    CHECK(NodeErrorOf(colored) == "");
}

TEST_CASE("Contradictions: values of different nodes are none", "[unit][workload]")
{
    CHECK(ConfigErrorText(
              [] {
                  ParseNodes({AllReduce(1), AllReduce(2).Int("comm_size", 64)});
              }) == "");
}
