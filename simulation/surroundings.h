// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "system/library/installed-library.h"

namespace nadi
{

/// What a communication library may know of the system of a run. Requires: `input` outlives it.
LibrarySurroundings DescribeSurroundings(const RunInput& input);

} // namespace nadi
