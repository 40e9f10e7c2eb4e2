// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/memory-text.h"

#include "common/unit-parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace nadi
{

namespace
{

/// In GB of 10^9 bytes. An estimate deserves no more than three digits.
std::string
ToGigabytes(uint64_t bytes)
{
    return fmt::format("{:.3g} GB", static_cast<double>(bytes) / 1e9);
}

} // namespace

std::string
DescribeMemoryEstimate(const MemoryEstimate& estimate)
{
    std::string text =
        fmt::format("\n## Memory\n\nAn estimate for rank {}, which needs most: {} "
                    "at once.\n\n| what | how much | what tells it |\n|---|---|---|\n",
                    estimate.rank,
                    ToGigabytes(estimate.Sum()));
    for (const MemoryPart& part : estimate.parts)
    {
        text +=
            fmt::format("| {} | {} | {} |\n", part.what, ToGigabytes(part.bytes), part.evidence);
    }
    return text + "\nBuffers of communication, and what allocators waste, are not counted.\n";
}

std::string
WarnOfMemory(const MemoryEstimate& estimate, std::optional<Bytes> limit)
{
    if (!limit)
    {
        return "";
    }
    const auto isUnknown = [](const MemoryPart& part)
    { return part.what == "parameters" && part.bytes == 0; };
    // Without the parameters the sum is too small, so it could stay below a limit that the job
    // breaks.
    if (std::ranges::any_of(estimate.parts, isUnknown))
    {
        return fmt::format("the parameters of rank {} are unknown, so what it needs cannot be "
                           "compared with --memory; the page says why",
                           estimate.rank);
    }
    if (estimate.Sum() <= static_cast<uint64_t>(limit->Count()))
    {
        return "";
    }
    return fmt::format("rank {} is estimated to need {}, more than the {} of --memory",
                       estimate.rank,
                       ToGigabytes(estimate.Sum()),
                       ToText(*limit));
}

} // namespace nadi
