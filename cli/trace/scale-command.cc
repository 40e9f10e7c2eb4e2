// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/edit-output.h"
#include "cli/trace/list-arguments.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-inputs.h"
#include "common/usage-error.h"
#include "workload/tools/editing/scaling.h"

#include <memory>

namespace nadi
{

namespace
{

struct ScaleArguments
{
    EditArguments edit;
    std::string sizes;
    std::string durations;
    std::string types;
};

void
Scale(const ScaleArguments& arguments)
{
    if (arguments.sizes.empty() && arguments.durations.empty())
    {
        throw UsageError("scale what? write --sizes or --durations, such as --sizes 2x");
    }
    ScaleFactors factors;
    if (!arguments.sizes.empty())
    {
        factors.sizes = ParseFactor("--sizes", arguments.sizes);
    }
    if (!arguments.durations.empty())
    {
        factors.durations = ParseFactor("--durations", arguments.durations);
    }
    if (!arguments.types.empty())
    {
        factors.types = ParseNodeTypes("--types", arguments.types);
    }
    const TraceInputs inputs = FindTraceInputs(arguments.edit.traces);
    const std::string groups = arguments.edit.GroupsFile().value_or("");
    Scaling scaling(inputs.files, factors, ReadGroups(groups, inputs.files.size()));
    WriteEdit(scaling, inputs.name, arguments.edit.out);
}

} // namespace

Command
MakeTraceScaleCommand()
{
    const auto arguments = std::make_shared<ScaleArguments>();
    Command command{
        .name = "scale",
        .help = "Multiply the sizes or the durations of traces, rounded half up to whole bytes and "
                "nanoseconds",
        .examples =
            {"nadi trace scale traces/mlp/mlp.{rank}.et --sizes 2x --out traces/large",
             "nadi trace scale recorded/gpt.{rank}.et --durations 0.5x --types COMP_NODE --out "
             "traces/fast"},
        .options = arguments->edit.Options(),
        .run = [arguments](const ProgramStart&)
        {
            Scale(*arguments);
            return EXIT_DONE;
        }};
    command.options.push_back(
        {.name = "--sizes",
         .target = &arguments->sizes,
         .help = "by how much sizes change, as 2x: comm_size, tensor_size, and bytes of memory",
         .valueName = "FACTOR"});
    command.options.push_back({.name = "--durations",
                               .target = &arguments->durations,
                               .help = "by how much recorded durations change, as 0.5x; starts "
                                       "change alike unless --types is given",
                               .valueName = "FACTOR"});
    command.options.push_back({.name = "--types",
                               .target = &arguments->types,
                               .help = "only nodes of these types, as COMP_NODE,COMM_COLL_NODE",
                               .valueName = "LIST"});
    return command;
}

} // namespace nadi
