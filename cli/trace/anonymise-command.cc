// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/edit-output.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-inputs.h"
#include "workload/tools/editing/anonymisation.h"

#include <memory>

namespace nadi
{

namespace
{

void
Anonymise(const EditArguments& arguments)
{
    const TraceJob job =
        ReadTraceJob(FindTraceInputs(arguments.traces).files, arguments.GroupsFile());
    Anonymisation anonymisation(job);
    // The name of the files may tell as much as those of the nodes.
    WriteEdit(anonymisation, "trace", arguments.out);
}

} // namespace

Command
MakeTraceAnonymiseCommand()
{
    const auto arguments = std::make_shared<EditArguments>();
    return {.name = "anonymise",
            .help = "Replace the names and texts of traces by neutral ones; structure, sizes, "
                    "times and groups stay",
            .examples = {"nadi trace anonymise traces/mlp/mlp.{rank}.et --out traces/shareable"},
            .options = arguments->Options(),
            .run = [arguments](const ProgramStart&)
            {
                Anonymise(*arguments);
                return EXIT_DONE;
            }};
}

} // namespace nadi
