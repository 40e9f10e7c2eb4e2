// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/edit-output.h"
#include "cli/trace/list-arguments.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-inputs.h"
#include "common/usage-error.h"
#include "workload/tools/editing/replication.h"

#include <memory>

namespace nadi
{

namespace
{

struct ReplicateArguments
{
    EditArguments edit;
    std::optional<uint32_t> ranks;
    std::string spanning;
};

void
Replicate(const ReplicateArguments& arguments)
{
    if (!arguments.ranks)
    {
        throw UsageError("for how many ranks? write --ranks");
    }
    // ParseWords refuses an empty text.
    std::set<std::string> spanning;
    if (!arguments.spanning.empty())
    {
        const std::vector<std::string> words = ParseWords("--span", arguments.spanning);
        spanning.insert(words.begin(), words.end());
    }
    const TraceInputs inputs = FindTraceInputs(arguments.edit.traces);
    const TraceJob job =
        ReadTraceJob(inputs.files, arguments.edit.GroupsFile(), AbsentRanks::LeftOut);
    Replication replication(job, *arguments.ranks, std::move(spanning));
    WriteEdit(replication, inputs.name, arguments.edit.out);
}

} // namespace

Command
MakeTraceReplicateCommand()
{
    const auto arguments = std::make_shared<ReplicateArguments>();
    Command command{
        .name = "replicate",
        .help = "Make a larger job of copies of a smaller one, such as one rank or one parallel "
                "group",
        .examples =
            {"nadi trace replicate traces/mlp/mlp.0.et --ranks 8 --span all --out traces/mlp-8",
             "nadi trace replicate traces/llama/llama3-70b.{rank}.et --groups "
             "traces/llama/groups.json --ranks 128 --span 2 --out traces/llama-128"},
        .options = arguments->edit.Options(),
        .run = [arguments](const ProgramStart&)
        {
            Replicate(*arguments);
            return EXIT_DONE;
        }};
    command.options.push_back({.name = "--ranks",
                               .target = &arguments->ranks,
                               .help = "how many ranks the new job has: a multiple of those there",
                               .valueName = "COUNT"});
    command.options.push_back(
        {.name = "--span",
         .target = &arguments->spanning,
         .help = "groups that are one group of all copies, such as those of data parallelism, by "
                 "their names in the traces; all is the group of all ranks. Without it, each copy "
                 "has groups of its own",
         .valueName = "NAMES"});
    return command;
}

} // namespace nadi
