// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "system/library/installed-library.h"
#include "system/message-programs/program-table.h"

namespace nadi
{

/// Makes the stored programs that the calls of the job will need, so that what is wrong with one of
/// them is said before the run, and none is made in its event loop.
///
/// Throws ConfigError as ProgramMaker::Make.
void PreparePrograms(const RunInput& input, InstalledLibrary& library, ProgramTable& programs);

} // namespace nadi
