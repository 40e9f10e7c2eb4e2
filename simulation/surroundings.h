// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "system/in-network/tree-table.h"
#include "system/library/installed-library.h"
#include "system/message-programs/program-table.h"

#include <optional>

namespace nadi
{

/// The trees of switches that compute; none: no switch does. Requires: `input` outlives it.
std::optional<TreeTable> MakeTrees(const RunInput& input);

/// What makers of stored programs may know of the system of a run. Requires: the input outlives it.
ProgramSurroundings DescribeProgramSurroundings(const RunInput& input);

/// The stored programs of a simulation: none yet.
ProgramTable MakePrograms(const RunInput& input);

/// What a communication library may know of the system of a run. `trees` are those of MakeTrees.
/// Requires: both outlive it.
LibrarySurroundings DescribeSurroundings(const RunInput& input, TreeTable* trees);

} // namespace nadi
