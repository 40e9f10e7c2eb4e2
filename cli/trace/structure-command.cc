// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/edit-output.h"
#include "cli/trace/list-arguments.h"
#include "cli/trace/structure-text.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-inputs.h"
#include "common/usage-error.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/tools/structure/structure-json.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <memory>

namespace nadi
{

namespace
{

struct StructureArguments
{
    std::vector<std::string> traces;
    std::string groups;
    std::string layerPattern;
    std::string degrees;
    bool isJson = false;
};

std::optional<uint32_t>*
FindDegree(FoundDegrees& degrees, std::string_view name)
{
    const std::pair<std::string_view, std::optional<uint32_t>*> known[]{{"tp", &degrees.tensor},
                                                                        {"cp", &degrees.context},
                                                                        {"dp", &degrees.data},
                                                                        {"pp", &degrees.pipeline},
                                                                        {"ep", &degrees.expert}};
    for (const auto& [axis, degree] : known)
    {
        if (axis == name)
        {
            return degree;
        }
    }
    return nullptr;
}

/// "tp=8,pp=2".
FoundDegrees
ParseDegrees(const std::string& text)
{
    FoundDegrees degrees;
    for (const std::string& word :
         text.empty() ? std::vector<std::string>() : ParseWords("--degrees", text))
    {
        const size_t equals = word.find('=');
        uint32_t number = 0;
        const char* const stop = word.data() + word.size();
        const char* const begin = equals == std::string::npos ? stop : word.data() + equals + 1;
        const auto [end, error] = std::from_chars(begin, stop, number);
        std::optional<uint32_t>* const degree = FindDegree(degrees, word.substr(0, equals));
        if (degree == nullptr || error != std::errc() || end != stop || number == 0)
        {
            throw UsageError(fmt::format(
                "--degrees: '{}' is no degree; write some of tp, cp, dp, pp and ep, as tp=8,pp=2",
                word));
        }
        *degree = number;
    }
    return degrees;
}

void
PrintStructure(const StructureArguments& arguments)
{
    const StructureHints hints{.layerPattern = arguments.layerPattern,
                               .degrees = ParseDegrees(arguments.degrees)};
    const TraceJob job = ReadTraceJob(FindTraceInputs(arguments.traces).files,
                                      FindInputGroups(arguments.traces, arguments.groups),
                                      AbsentRanks::LeftOut);
    const JobStructure structure = FindStructure(job, hints);
    fmt::print("{}",
               arguments.isJson ? FormatStructureJson(structure, job.workload)
                                : DescribeStructure(structure, Style::For(stdout)));
}

} // namespace

Command
MakeTraceStructureCommand()
{
    const auto arguments = std::make_shared<StructureArguments>();
    return {.name = "structure",
            .help = "Find layers, passes, micro-batches and degrees of parallelism in traces",
            .examples = {"nadi trace structure traces/gpt.{rank}.et --groups traces/groups.json",
                         "nadi trace structure gpt.{rank}.et --layer-pattern LayerNormKernel"},
            .options = {MakeTracesOption(arguments->traces),
                        MakeGroupsOption(arguments->groups),
                        {.name = "--layer-pattern",
                         .target = &arguments->layerPattern,
                         .help = "a regular expression that the first kernel of each layer fits",
                         .valueName = "REGEX"},
                        {.name = "--degrees",
                         .target = &arguments->degrees,
                         .help = "degrees of parallelism that go before those found: tp=8,pp=2",
                         .valueName = "LIST"},
                        {.name = "--json",
                         .target = &arguments->isJson,
                         .help = "print JSON, which has the nodes of every layer"}},
            .run = [arguments](const ProgramStart&)
            {
                PrintStructure(*arguments);
                return EXIT_DONE;
            }};
}

} // namespace nadi
