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

TEST_CASE("ConfigError: words and quotes of a file are cut where they are too long to be read",
          "[unit][common]")
{
    const auto problem = [](const std::string& text) { return ConfigError("", text).Problem(); };
    const std::string end(80, 'x');
    const std::string cut = end + "..." + end;
    // Of 256 bytes they stay whole: paths are as long.
    CHECK(problem("\"" + std::string(256, 'x') + "\" is no size") ==
          "\"" + std::string(256, 'x') + "\" is no size");
    CHECK(problem("\"" + std::string(257, 'x') + "\" is no size") == "\"" + cut + "\" is no size");
    CHECK(problem("unknown key " + std::string(100'000, 'x') + " (known: a)") ==
          "unknown key " + cut + " (known: a)");
    // Quoted text counts as a whole, what the program says of it does not.
    const std::string words(100'000, ' ');
    CHECK(problem("\"" + end + words + end + "\" is no size") == "\"" + cut + "\" is no size");
    std::string known = "; known:";
    for (int word = 0; word < 1000; ++word)
    {
        known += " word";
    }
    CHECK(problem("\"x\" is unknown" + known) == "\"x\" is unknown" + known);
    // The place is cut too, and the line of the file stays.
    CHECK(ConfigError(std::string(1000, 'x') + ".yaml:12", "").Where().ends_with("x.yaml:12"));
}

TEST_CASE("ConfigError: cuts between letters", "[unit][common]")
{
    std::string letters;
    for (int letter = 0; letter < 1000; ++letter)
    {
        letters += "\xe2\x82\xac"; // of three bytes: 80 end within the 27th
    }
    CHECK(ConfigError("", letters).Problem() ==
          letters.substr(0, 26 * 3) + "..." + letters.substr(0, 26 * 3));
    // Bytes that only continue letters are no text, and are cut nevertheless.
    CHECK(ConfigError("", std::string(1000, '\x80')).Problem() == "...");
}
