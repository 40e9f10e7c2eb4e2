// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/node-attributes.h"
#include "workload/document/trace-document.h"

#include <catch2/catch.hpp>

namespace nadi
{

TEST_CASE("a document is written as it was read", "[trace-document]")
{
    TraceDocument document;
    ChakraProtoMsg::Node& node = document.nodes.emplace_back();
    node.set_id(7);
    node.set_name("forward");
    SetDurationNanos(node, 1500);
    const TraceDocument copy = ParseDocument(FormatDocument(document), "copy");
    CHECK(copy.metadata.version() == "1.0.0");
    REQUIRE(copy.nodes.size() == 1);
    CHECK(copy.nodes[0].SerializeAsString() == node.SerializeAsString());
    CHECK(GetDurationNanos(copy.nodes[0]) == 1500);
    CHECK(copy.nodes[0].duration_micros() == 2);
}

} // namespace nadi
