// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/msccl-conversion.h"

#include "cli/trace/conversions.h"
#include "cli/trace/trace-output.h"
#include "common/text.h"
#include "common/unit-parser.h"
#include "common/usage-error.h"
#include "system/library/msccl-file/msccl-file.h"
#include "system/library/msccl-file/msccl-limits.h"

#include <fmt/format.h>

#include <filesystem>

namespace nadi
{

namespace
{

constexpr int64_t USUAL_SIZE = 1 << 20;

Bytes
ReadSize(const std::string& text)
{
    try
    {
        const Bytes size = text.empty() ? Bytes(USUAL_SIZE) : ParseBytes(text);
        if (size > LARGEST_MSCCL_BUFFER)
        {
            throw UsageError(fmt::format("--size: {} is too large; write a size up to {}",
                                         text,
                                         ToText(LARGEST_MSCCL_BUFFER)));
        }
        return size;
    }
    catch (const UnitError& error)
    {
        throw UsageError(std::string("--size: ") + error.what());
    }
}

/// A file of MSCCL says for which sizes it was made. Traces of another size run too, so a wrong
/// size is a note and no error.
std::vector<std::string>
FindNotes(const MscclAlgorithm& algorithm, Bytes size)
{
    std::vector<std::string> notes = FindPassedLimits(algorithm);
    const auto bytes = static_cast<uint64_t>(size.Count());
    if (bytes < algorithm.leastBytes)
    {
        notes.push_back(fmt::format("the algorithm is meant for {} or more, but --size is {}",
                                    CountText(algorithm.leastBytes, "byte"),
                                    bytes));
    }
    if (bytes > algorithm.mostBytes)
    {
        notes.push_back(fmt::format("the algorithm is meant for {} at most, but --size is {}",
                                    CountText(algorithm.mostBytes, "byte"),
                                    bytes));
    }
    return notes;
}

} // namespace

Conversion
ConvertMsccl(const ConversionArguments& arguments)
{
    if (arguments.files.size() != 1)
    {
        throw UsageError("which algorithm? write one file, such as ring.xml");
    }
    const std::string& file = arguments.files.front();
    const Bytes size = ReadSize(arguments.size);
    const MscclAlgorithm algorithm = ReadMscclAlgorithm(file);
    // The file counts in parts of the buffer, traces in bytes, so the size of the buffer is needed.
    const Workload job = MakeMscclWorkload(algorithm, size);
    const std::string name = std::filesystem::path(file).stem().string();
    WriteTraceFiles(job, name, arguments.out);
    return {.name = name,
            .ranks = AllRanks(job.RankCount()),
            .groupCount = 0,
            .notes = FindNotes(algorithm, size)};
}

} // namespace nadi
