// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/shapes/product-bytes.h"
#include "workload/what-if/shapes/shape-sizes.h"

#include <string>
#include <vector>

namespace nadi
{

/// "The recording shows a hidden width of 64, 4 heads of 16, ...".
std::string DescribeSizes(const ShapeSizes& whole);

/// What is other, a sentence each: "A hidden width of 96 in place of 64".
std::vector<std::string> DescribeSizeChanges(const ShapeSizes& before, const ShapeSizes& after);

/// What was taken where the bytes of products do not tell how the recording counts them.
std::string DescribeByteCounting(const ByteCounting& counting);

} // namespace nadi
