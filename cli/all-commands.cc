// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"

namespace nadi
{

/// Its arguments are the script's to read: see BecomeScript.
Command
MakeSweepCommand()
{
    return {.name = "sweep",
            .help = "Run the points of a study, keep their results, draw its figures",
            .examples = {
                "nadi sweep configs/studies/themis.yaml      run the points of a study, draw its "
                "figures"}};
}

std::vector<Command>
MakeAllCommands()
{
    return {MakeRunCommand(),
            MakeCheckCommand(),
            MakeConfigCommand(),
            MakeImportCommand(),
            MakeListCommand(),
            MakeSchemaCommand(),
            MakeSweepCommand(),
            MakeTraceCommand()};
}

} // namespace nadi
