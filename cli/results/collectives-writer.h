// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/run-results.h"

#include <string>

namespace nadi
{

/// `collectives.csv`: a row per collective that all its members completed.
std::string WriteCollectives(const RunResults& results);

} // namespace nadi
