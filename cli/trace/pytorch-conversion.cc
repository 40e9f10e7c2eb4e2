// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/conversions.h"
#include "cli/trace/trace-inputs.h"
#include "cli/trace/trace-output.h"
#include "common/text.h"
#include "common/usage-error.h"
#include "workload/tools/conversion/pytorch-converter.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

/// Both kinds of recordings are JSON files of any name, so the user has to tell them apart.
void
CheckPyTorchArguments(const ConversionArguments& arguments)
{
    if (!arguments.files.empty())
    {
        throw UsageError(fmt::format("\"{}\" is of which kind? write --device before Kineto traces "
                                     "and --host before host execution traces",
                                     arguments.files.front()));
    }
    if (arguments.device.empty())
    {
        throw UsageError(arguments.host.empty()
                             ? "which recordings? write --device and their files, such as "
                               "kineto.{rank}.json"
                             : "--host alone is not enough, because a host execution trace has "
                               "neither times nor kernels; write --device and the Kineto traces of "
                               "the same run too. What its operators repeat, `nadi trace structure "
                               "--host` finds");
    }
}

/// Where there are host traces, each rank has one.
void
CheckHasEach(const RecordedInputs& hosts, const RecordedInputs& devices)
{
    if (hosts.files.empty())
    {
        return;
    }
    if (hosts.files.size() != devices.files.size())
    {
        throw UsageError(fmt::format("--host has {}, but --device {}; give one of each for "
                                     "every rank",
                                     CountText(hosts.files.size(), "file"),
                                     devices.files.size()));
    }
    for (const RankFile& device : devices.files)
    {
        if (std::ranges::count(hosts.files, device.rank, &RankFile::rank) == 0)
        {
            throw UsageError(fmt::format("--host has no file of rank {}, but --device has {}; give "
                                         "one of each for every rank",
                                         device.rank,
                                         device.file));
        }
    }
}

} // namespace

Conversion
ConvertPyTorch(const ConversionArguments& arguments)
{
    CheckPyTorchArguments(arguments);
    const RecordedInputs devices = FindRecordedInputs(arguments.device);
    const RecordedInputs hosts =
        arguments.host.empty() ? RecordedInputs{} : FindRecordedInputs(arguments.host);
    // The Kineto traces say which ranks there are, since host traces are optional.
    const std::vector<uint32_t> ranks = devices.Ranks();
    CheckHasEach(hosts, devices);
    PytorchConverter converter(ranks);
    WriteDocuments({.name = devices.name,
                    .directory = arguments.out,
                    .ranks = ranks,
                    // The converter learns groups and notes from the ranks that it converts, so
                    // both are asked for after the last rank.
                    .makeGroups = [&] { return converter.Groups(); },
                    .makeDocument =
                        [&](uint32_t rank)
                    {
                        return converter.Convert(
                            rank,
                            {.host = hosts.files.empty() ? "" : hosts.FileOf(rank),
                             .device = devices.FileOf(rank)});
                    }});
    return {.name = devices.name,
            .ranks = ranks,
            .groupCount = static_cast<uint32_t>(converter.Groups().size()),
            .notes = converter.Notes().ToLines()};
}

} // namespace nadi
