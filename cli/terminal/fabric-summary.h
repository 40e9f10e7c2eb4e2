// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"

#include <string>
#include <vector>

namespace nadi
{

/// How long each kind of collective that the job calls takes at least on its network, and the cut
/// that limits it. Collectives of one type and number of ranks are a kind, for which its largest
/// call stands. One text a kind; empty where no collective has a bound.
std::vector<std::string> DescribeFabricBounds(const RunInput& input);

} // namespace nadi
