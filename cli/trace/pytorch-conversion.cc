// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/conversions.h"
#include "cli/trace/trace-inputs.h"
#include "cli/trace/trace-output.h"
#include "common/usage-error.h"
#include "workload/tools/conversion/pytorch-converter.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

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

} // namespace

Conversion
ConvertPyTorch(const ConversionArguments& arguments)
{
    CheckPyTorchArguments(arguments);
    const TraceInputs devices = FindTraceInputs(arguments.device);
    const TraceInputs hosts =
        arguments.host.empty() ? TraceInputs{} : FindTraceInputs(arguments.host);
    const auto rankCount = static_cast<uint32_t>(devices.files.size());
    if (!hosts.files.empty() && hosts.files.size() != rankCount)
    {
        throw UsageError(fmt::format("--host are {} files, but --device {}; give one of each for "
                                     "every rank",
                                     hosts.files.size(),
                                     rankCount));
    }
    PytorchConverter converter(rankCount);
    WriteDocuments({.name = devices.name,
                    .directory = arguments.out,
                    .rankCount = rankCount,
                    .makeGroups = [&] { return converter.Groups(); },
                    .makeDocument =
                        [&](uint32_t rank)
                    {
                        return converter.Convert(
                            rank,
                            {.host = hosts.files.empty() ? "" : hosts.files[rank],
                             .device = devices.files[rank]});
                    }});
    return {.name = devices.name,
            .rankCount = rankCount,
            .groupCount = static_cast<uint32_t>(converter.Groups().size()),
            .notes = converter.Notes().ToLines()};
}

} // namespace nadi
