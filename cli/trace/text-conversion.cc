// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/conversions.h"
#include "cli/trace/model-arguments.h"
#include "cli/trace/trace-output.h"
#include "common/usage-error.h"

#include <filesystem>

namespace nadi
{

Conversion
ConvertText(const ConversionArguments& arguments)
{
    if (arguments.files.empty())
    {
        throw UsageError("which workload? write its file, such as gpt3.txt");
    }
    ModelArguments model{.command = "nadi trace convert", .model = "text"};
    // The path is not read as YAML, unlike the parameters behind it.
    model.file = arguments.files.front();
    model.parameters.assign(arguments.files.begin() + 1, arguments.files.end());
    model.ranks = arguments.ranks;
    model.dimensions = arguments.dimensions;
    const Workload job = MakeModelJob(model, ReadModelChoice(model));
    const std::string name = std::filesystem::path(arguments.files.front()).stem().string();
    WriteTraceFiles(job, name, arguments.out);
    return {.name = name,
            .ranks = AllRanks(job.RankCount()),
            .groupCount = static_cast<uint32_t>(job.communicators.size() - 1),
            .notes = job.notes};
}

} // namespace nadi
