// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/conversions.h"
#include "cli/trace/trace-inputs.h"
#include "cli/trace/trace-output.h"
#include "common/usage-error.h"

namespace nadi
{

Conversion
ConvertChakra(const ConversionArguments& arguments)
{
    if (arguments.files.empty())
    {
        throw UsageError("which traces? write their files, such as old.{rank}.et");
    }
    const TraceInputs inputs = FindTraceInputs(arguments.files);
    const auto rankCount = static_cast<uint32_t>(inputs.files.size());
    WriteDocuments({.name = inputs.name,
                    .directory = arguments.out,
                    .rankCount = rankCount,
                    .makeGroups = {},
                    .makeDocument = [&](uint32_t rank)
                    {
                        TraceDocument document = ReadDocument(inputs.files[rank]);
                        document.metadata.clear_version();
                        return document;
                    }});
    return {.name = inputs.name, .rankCount = rankCount, .groupCount = 0, .notes = {}};
}

} // namespace nadi
