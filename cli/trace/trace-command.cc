// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"
#include "cli/trace/trace-commands.h"

namespace nadi
{

Command
MakeTraceCommand()
{
    Command command{.name = "trace",
                    .help = "Work with traces",
                    .examples = {},
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
    // The program's own help shows the first example of each command, so this one needs some.
    command.examples = command.commands.front().examples;
    return command;
}

} // namespace nadi
