// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"
#include "cli/trace/trace-commands.h"

namespace nadi
{

Command
MakeTraceCommand()
{
    return {
        .name = "trace",
        .help = "Work with traces",
        .examples = {"nadi trace generate mlp batch=64 --ranks 8 --out traces/first    make some",
                     "nadi trace info traces/first/mlp.{rank}.et       what they hold",
                     "nadi trace check traces/first/mlp.{rank}.et      what would make a run "
                     "wrong or stuck"},
        .commands = {MakeTraceGenerateCommand(),
                     MakeTraceConvertCommand(),
                     MakeTraceInfoCommand(),
                     MakeTraceStructureCommand(),
                     MakeTraceAnalyzeCommand(),
                     MakeTraceFitCommand(),
                     MakeTraceCheckCommand(),
                     MakeTraceDiffCommand(),
                     MakeTraceExportCommand(),
                     MakeTraceSliceCommand(),
                     MakeTraceMergeCommand(),
                     MakeTraceReplicateCommand(),
                     MakeTraceScaleCommand(),
                     MakeTraceWhatIfCommand(),
                     MakeTraceAnonymiseCommand()}};
}

} // namespace nadi
