// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/run-results.h"

#include <string>

namespace nadi
{

/// `ranks.csv`: a row per rank, where its time went.
std::string WriteRanks(const RunResults& results);

} // namespace nadi
