// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/command.h"

/// \file
/// The commands of `nadi trace`, one file each.

namespace nadi
{

Command MakeTraceCheckCommand();
Command MakeTraceConvertCommand();
Command MakeTraceDiffCommand();
Command MakeTraceGenerateCommand();
Command MakeTraceInfoCommand();

} // namespace nadi
