// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// Which sum of gradients is of the parameters that each gather behind the optimizer is of: by
/// gather, the index of its sum. All sums of a group have the same share of what is gathered, so
/// sizes tell, up to what shards are rounded by; of equal ones the order tells. Where there are
/// more sums, the last ones count.
///
/// `gathered`, `summed`: bytes, in the order of the program. Nothing where there are fewer sums, or
/// where sizes do not fit together.
std::optional<std::vector<size_t>> PairGathers(const std::vector<uint64_t>& gathered,
                                               const std::vector<uint64_t>& summed);

} // namespace nadi
