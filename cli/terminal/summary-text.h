// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/terminal/style.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// What the parts of the summary on the terminal share.

namespace nadi
{

/// The rows of a table: cells of equal number.
using Rows = std::vector<std::vector<std::string>>;

/// "12.5 %".
std::string PercentText(double share);

/// The first `most` bytes, or fewer, so that no letter of UTF-8 is cut in two.
std::string_view CutLetters(std::string_view text, size_t most);

/// Names of traces can be longer than a line.
std::string ShortenName(const std::string& name);

/// Likewise, where the end tells names apart, and in more letters: it leaves the middle out.
std::string ShortenMiddle(const std::string& name);

/// The words in lines of at most `width` letters, as far as words are no longer than that.
std::string WrapText(const std::string& text, size_t width);

/// An empty line, the title, the aligned rows.
std::string TitledTable(const std::string& title, const Rows& rows, const Style& style);

/// What stands below a table of the first `shown` of `all` rows: "  4 more ranks; --json has them
/// all"; "" where nothing is left out.
std::string LeftOutText(size_t all, size_t shown, std::string_view what);

/// The first `most` of 0..count-1 under `precedes`, of equals the lowest.
template <class Order>
std::vector<size_t>
FindFirst(size_t count, size_t most, const Order& precedes)
{
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), precedes);
    order.resize(std::min(count, most));
    return order;
}

} // namespace nadi
