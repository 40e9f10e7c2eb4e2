// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/command.h"

/// \file
/// The commands of `nadi trace`, one file each.

namespace nadi
{

Command MakeTraceAnalyzeCommand();
Command MakeTraceAnonymiseCommand();
Command MakeTraceCheckCommand();
Command MakeTraceConvertCommand();
Command MakeTraceDiffCommand();
Command MakeTraceExportCommand();
Command MakeTraceFitCommand();
Command MakeTraceGenerateCommand();
Command MakeTraceInfoCommand();
Command MakeTraceMergeCommand();
Command MakeTraceReplicateCommand();
Command MakeTraceScaleCommand();
Command MakeTraceSliceCommand();
Command MakeTraceStructureCommand();
Command MakeTraceWhatIfCommand();

} // namespace nadi
