// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/serving-summary-writer.h"

#include "simulation/results/text-format.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

/// In nanoseconds; null where no time was taken. The percentiles come from a histogram, so that
/// memory does not grow with the number of requests.
std::string
WriteTimes(const TimeHistogram& times)
{
    if (times.Count() == 0)
    {
        return R"({"mean": null, "p50": null, "p90": null, "p99": null})";
    }
    return fmt::format(R"({{"mean": {}, "p50": {}, "p90": {}, "p99": {}}})",
                       NsText(times.Mean()),
                       NsText(times.Percentile(0.5)),
                       NsText(times.Percentile(0.9)),
                       NsText(times.Percentile(0.99)));
}

/// With a comma before it; nothing where no experts lie on several ranks.
std::string
WriteExpertSkew(const ExpertCounts& experts)
{
    if (experts.IsEmpty())
    {
        return "";
    }
    const auto write = [](const ExpertSkew& skew)
    {
        return fmt::format(
            R"({{"gini": {:.4f}, "largest_over_mean": {:.4f}}})", skew.gini, skew.largestOverMean);
    };
    return fmt::format(",\n    \"experts\": {{\"by_rank\": {}, \"by_expert\": {}}}",
                       write(experts.SkewOfRanks()),
                       write(experts.SkewOfExperts()));
}

} // namespace

std::string
WriteServing(const ServingTotals& serving)
{
    const auto perSecond = [&](uint64_t count)
    { return fmt::format("{:.6g}", serving.PerSecond(count)); };
    return fmt::format("{{\n"
                       "    \"requests\": {},\n"
                       "    \"tokens_in\": {},\n"
                       "    \"tokens_out\": {},\n"
                       "    \"throughput_in\": {},\n"
                       "    \"throughput_out\": {},\n"
                       "    \"goodput\": {},\n"
                       "    \"ttft_ns\": {},\n"
                       "    \"tpot_ns\": {},\n"
                       "    \"itl_ns\": {}{},\n"
                       "    \"swaps\": {},\n"
                       "    \"swapped_bytes\": {}\n"
                       "  }}",
                       serving.requests,
                       serving.tokensIn,
                       serving.tokensOut,
                       perSecond(serving.tokensIn),
                       perSecond(serving.tokensOut),
                       perSecond(serving.kept),
                       WriteTimes(serving.ttft),
                       WriteTimes(serving.tpot),
                       WriteTimes(serving.itl),
                       WriteExpertSkew(serving.experts),
                       serving.swaps,
                       serving.swappedBytes);
}

} // namespace nadi
