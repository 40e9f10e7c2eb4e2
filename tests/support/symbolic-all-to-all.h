// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dimension.h"
#include "tests/support/symbolic-stack.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi::symbolic
{

/// Runs an all-to-all over a stack, dimension by dimension in `order`: along a dimension a rank
/// sends everything that it holds for ranks with the peer's coordinate, so that its row has one
/// size in all phases. The problem, or none.
std::optional<std::string> FindAllToAllProblem(const RankGrid& grid,
                                               const AlgorithmPerDimension& algorithms,
                                               const std::vector<uint32_t>& order);

} // namespace nadi::symbolic
