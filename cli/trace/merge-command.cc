// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/edit-output.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-inputs.h"
#include "common/usage-error.h"
#include "workload/tools/editing/duration-merge.h"
#include "workload/tools/editing/job-merge.h"
#include "workload/tools/editing/sequence-merge.h"

#include <memory>

namespace nadi
{

namespace
{

struct MergeArguments
{
    std::string first;
    std::string second;
    std::string groups;
    std::string secondGroups;
    std::string measured;
    bool isSequence = false;
    std::string out;
};

void
MergeDurations(const MergeArguments& arguments)
{
    if (!arguments.second.empty() || arguments.isSequence || !arguments.secondGroups.empty())
    {
        throw UsageError("--durations takes times from its own traces; write one TRACES, without "
                         "--sequence and --second-groups");
    }
    const TraceInputs inputs = FindTraceInputs({arguments.first});
    DurationMerge merge(
        inputs.files,
        FindTraceInputs({arguments.measured}).files,
        ReadGroups(FindInputGroups({arguments.first}, arguments.groups).value_or(""),
                   inputs.files.size()));
    WriteEdit(merge, inputs.name, arguments.out);
}

/// Three ways to make one job of two: the times of one for the nodes of the other, one after the
/// other on the same ranks, or side by side.
void
Merge(const MergeArguments& arguments)
{
    if (!arguments.measured.empty())
    {
        MergeDurations(arguments);
        return;
    }
    if (arguments.second.empty())
    {
        throw UsageError("merge with what? write the second job's traces, or --durations");
    }
    const TraceInputs inputs = FindTraceInputs({arguments.first});
    const TraceJob first =
        ReadTraceJob(inputs.files, FindInputGroups({arguments.first}, arguments.groups));
    const TraceJob second =
        ReadTraceJob(FindTraceInputs({arguments.second}).files,
                     FindInputGroups({arguments.second}, arguments.secondGroups));
    if (arguments.isSequence)
    {
        SequenceMerge merge(first, second);
        WriteEdit(merge, inputs.name, arguments.out);
        return;
    }
    JobMerge merge(first, second);
    WriteEdit(merge, inputs.name, arguments.out);
}

} // namespace

Command
MakeTraceMergeCommand()
{
    const auto arguments = std::make_shared<MergeArguments>();
    return {
        .name = "merge",
        .help = "Make one job of two: side by side, one after the other, or one with the measured "
                "times of the other",
        .examples =
            {"nadi trace merge traces/mlp/mlp.{rank}.et traces/first/mlp.{rank}.et --out "
             "traces/both",
             "nadi trace merge traces/mlp/mlp.{rank}.et traces/mlp-new/mlp.{rank}.et --sequence "
             "--out "
             "traces/whole",
             "nadi trace merge traces/gpt/gpt.{rank}.et --durations recorded/gpt.{rank}.et --out "
             "traces/timed"},
        .options = {{.name = "FIRST",
                     .target = &arguments->first,
                     .help = "the traces of the first job: a path with {rank}, a pattern with *, "
                             "or one file",
                     .isRequired = true},
                    {.name = "SECOND",
                     .target = &arguments->second,
                     .help = "the traces of the second job, whose ranks come after those of the "
                             "first"},
                    {.name = "--sequence",
                     .target = &arguments->isSequence,
                     .help = "the second job follows the first on the same ranks"},
                    {.name = "--durations",
                     .target = &arguments->measured,
                     .help = "traces with measured times, which go to the nodes of the same name "
                             "and order",
                     .valueName = "TRACES"},
                    MakeGroupsOption(arguments->groups),
                    {.name = "--second-groups",
                     .target = &arguments->secondGroups,
                     .help = "the groups file of the second job",
                     .valueName = "FILE"},
                    {.name = "--out",
                     .target = &arguments->out,
                     .help = "the directory for the new traces; it has to be absent or empty",
                     .valueName = "DIR",
                     .isRequired = true}},
        .run = [arguments](const ProgramStart&)
        {
            Merge(*arguments);
            return EXIT_DONE;
        }};
}

} // namespace nadi
