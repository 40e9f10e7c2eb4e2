// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "system/in-network/tree-table.h"
#include "system/library/installed-library.h"
#include "system/message-programs/program-table.h"

namespace nadi
{

/// Makes the stored programs that the calls of the job will need, and finds the trees of switches,
/// so that what is wrong with one of them is said before the run, and none is made in its event
/// loop. `trees`: null where no switch computes. Of a cluster that serves, the sizes of calls are
/// not known, so only trees are found.
///
/// Throws ConfigError as ProgramMaker::Make; at its key for an algorithm whose trees do not reach
/// the ranks that call it; and for trees that wait for places which no switch ever has.
void PrepareCalls(const RunInput& input,
                  InstalledLibrary& library,
                  ProgramTable& programs,
                  TreeTable* trees);

} // namespace nadi
