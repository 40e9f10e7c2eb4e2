// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/conversions.h"
#include "cli/trace/trace-inputs.h"
#include "cli/trace/trace-output.h"
#include "common/usage-error.h"
#include "workload/document/host-pace.h"

#include <fmt/format.h>

namespace nadi
{

Conversion
ConvertChakra(const ConversionArguments& arguments)
{
    if (arguments.files.empty())
    {
        throw UsageError("which traces? write their files, such as old.{rank}.et");
    }
    const RecordedInputs inputs = FindRecordedInputs(arguments.files);
    HostPace pace;
    WriteDocuments({.name = inputs.name,
                    .directory = arguments.out,
                    .ranks = inputs.Ranks(),
                    .makeGroups = {},
                    .makeDocument = [&](uint32_t rank)
                    {
                        TraceDocument document = ReadDocument(inputs.FileOf(rank));
                        document.metadata.clear_version();
                        if (arguments.hostPace)
                        {
                            const HostPace added = AddHostPace(document);
                            pace.gaps += added.gaps;
                            pace.waits += added.waits;
                        }
                        return document;
                    }});
    std::vector<std::string> notes;
    if (arguments.hostPace)
    {
        notes.push_back(fmt::format(
            "{} gaps of the host between its operations were added, and {} times it waits for "
            "the accelerator",
            pace.gaps,
            pace.waits));
    }
    return {.name = inputs.name, .ranks = inputs.Ranks(), .groupCount = 0, .notes = notes};
}

} // namespace nadi
