// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/whole-text.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>
#include <streambuf>
#include <string>

using namespace nadi;

namespace
{

/// As /dev/zero: bytes without an end.
class EndlessBytes : public std::streambuf
{
  public:
    size_t Given() const
    {
        return m_given;
    }

  protected:
    std::streamsize xsgetn(char* to, std::streamsize count) override
    {
        std::fill_n(to, count, 'x');
        m_given += static_cast<size_t>(count);
        return count;
    }

  private:
    size_t m_given = 0;
};

} // namespace

TEST_CASE("ReadWholeText: gives as many bytes as are allowed, and none of more",
          "[unit][configuration]")
{
    constexpr size_t most = 200'000;
    for (const size_t size : {size_t{0}, size_t{1}, most - 1, most})
    {
        std::istringstream stream(std::string(size, 'x'));
        CHECK(ReadWholeText(stream, most) == std::string(size, 'x'));
    }
    std::istringstream more(std::string(most + 1, 'x'));
    CHECK_FALSE(ReadWholeText(more, most).has_value());
}

TEST_CASE("ReadWholeText: stops reading what has no end", "[unit][configuration]")
{
    constexpr size_t most = 1'000'000;
    EndlessBytes bytes;
    std::istream stream(&bytes);
    CHECK_FALSE(ReadWholeText(stream, most).has_value());
    CHECK(bytes.Given() < 2 * most);
}
