// SPDX-License-Identifier: GPL-2.0-only
#include "common/utf8-text.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;

TEST_CASE("IsUtf8: the first and last code points of each length are text", "[unit][common]")
{
    const std::vector<std::string> points{std::string(1, '\0'),
                                          "\x7f",
                                          "\xc2\x80",
                                          "\xdf\xbf",
                                          "\xe0\xa0\x80",
                                          "\xef\xbf\xbf",
                                          "\xf0\x90\x80\x80",
                                          "\xf4\x8f\xbf\xbf"};
    std::string all;
    for (const std::string& point : points)
    {
        CHECK(IsUtf8(point));
        all += point;
    }
    CHECK(IsUtf8(all));
    CHECK(IsUtf8(""));
    CHECK(IsUtf8("caf\xc3\xa9 of eight and more letters"));
}

TEST_CASE("IsUtf8: what is cut off, too long, past the last code point or half a pair is no text",
          "[unit][common]")
{
    const std::vector<std::string> cut{"\xc2", "\xe0\xa0", "\xf0\x90\x80", "\xc2z"};
    const std::vector<std::string> longer{
        "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf"};
    const std::vector<std::string> past{"\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff", "\x80"};
    const std::vector<std::string> halves{"\xed\xa0\x80", "\xed\xbf\xbf"};
    for (const auto& kind : {cut, longer, past, halves})
    {
        for (const std::string& bytes : kind)
        {
            CHECK_FALSE(IsUtf8(bytes));
            // Behind any number of letters, which are read by words of eight.
            for (size_t before = 0; before <= 17; ++before)
            {
                CHECK_FALSE(IsUtf8(std::string(before, 'a') + bytes + "b"));
            }
        }
    }
}
