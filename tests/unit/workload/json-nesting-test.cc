// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "tests/support/scratch-directory.h"
#include "workload/trace/json-nesting.h"
#include "workload/trace/process-groups.h"
#include "workload/trace/trace-file.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

std::string
MakeNested(size_t levels)
{
    return std::string(levels, '[') + std::string(levels, ']');
}

} // namespace

TEST_CASE("FindDeepJson: 64 levels are not deep, the 65th is", "[unit][workload]")
{
    CHECK_FALSE(FindDeepJson(MakeNested(MOST_JSON_LEVELS)));
    CHECK(FindDeepJson(MakeNested(MOST_JSON_LEVELS + 1)) == MOST_JSON_LEVELS);
    // Lists beside each other are no deeper than one.
    CHECK_FALSE(FindDeepJson(MakeNested(MOST_JSON_LEVELS) + MakeNested(MOST_JSON_LEVELS)));
    CHECK_FALSE(FindDeepJson("]]" + MakeNested(MOST_JSON_LEVELS)));
}

TEST_CASE("FindDeepJson: brackets within strings are text", "[unit][workload]")
{
    const std::string many(MOST_JSON_LEVELS + 1, '[');
    CHECK_FALSE(FindDeepJson("\"" + many + "\""));
    CHECK_FALSE(FindDeepJson("\"\\\"" + many));
    CHECK(FindDeepJson("\"\\\\\"" + many) == 4 + MOST_JSON_LEVELS);
    CHECK_FALSE(FindDeepJson("\""));
    CHECK_FALSE(FindDeepJson("\"\\"));
}

TEST_CASE("JSON that is nested without end is refused wherever it is read", "[unit][workload]")
{
    const std::string deep = MakeNested(200'000);
    const ScratchDirectory scratch("json-nesting");
    const auto groups = scratch.Write("groups.json", "{\n\"1\": [" + deep + "]}");
    CHECK_THROWS_WITH(ReadGroupsFile(groups, 4),
                      groups.string() + ":2: more than 64 lists and objects lie within each other; "
                                        "write fewer");
    CHECK_FALSE(ParseProcessGroups("['[{\"pg_name\": " + deep + ", \"ranks\": [0]}]']"));
    CHECK_THROWS_AS(ParseTrace("{\"workload_graph\": [{\"Id\": 1, \"Name\": " + deep + "}]}",
                               "t.json",
                               DependencyPolicy::Auto),
                    ConfigError);
}
