// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/terminal/style.h"
#include "simulation/run-results.h"

#include <string>

namespace nadi
{

/// The slowest collectives beside what would be possible: of those that share name, type, ranks
/// and size, however many there are, the slowest stands for all; names that differ in numbers only,
/// as those of layers do, count as one. How long one runs is told apart
/// from how long it waits, for members to call it and for its turn, since no network could shorten
/// the waiting. Empty when there are none.
std::string DescribeCollectives(const RunResults& results, const Style& style);

} // namespace nadi
