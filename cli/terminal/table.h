// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <vector>

namespace nadi
{

/// Rows of cells as lines of aligned columns, two spaces before each: the first column to the
/// left, the others to the right. Requires: all rows have as many cells as the first.
std::vector<std::string> AlignTable(const std::vector<std::vector<std::string>>& rows);

/// A bar of up to `width` blocks for a share of 0 to 1; at least a sliver for what is not nothing.
std::string MakeBar(double share, size_t width);

} // namespace nadi
