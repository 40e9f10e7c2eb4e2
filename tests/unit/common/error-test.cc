// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;

TEST_CASE("ConfigError: is one line, whatever the user's file holds", "[unit][common]")
{
    const ConfigError error("a\nb.yaml:1", "\"x\r\n\x1b[31my\x7f\" is no size");
    CHECK(error.Where() == "a b.yaml:1");
    CHECK(error.Problem() == "\"x   [31my \" is no size");
    CHECK(std::string(error.what()) == error.Where() + ": " + error.Problem());
}

TEST_CASE("ConfigError: text beyond ASCII stays as it is", "[unit][common]")
{
    CHECK(ConfigError("", "\"\xc3\xa9\" is no size").Problem() == "\"\xc3\xa9\" is no size");
}
