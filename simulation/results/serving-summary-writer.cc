// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/serving-summary-writer.h"

#include "simulation/results/text-format.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

std::string
WriteTimes(const TimeHistogram& times)
{
    return fmt::format(R"({{"mean": {}, "p50": {}, "p90": {}, "p99": {}}})",
                       NsText(times.Mean()),
                       NsText(times.Percentile(0.5)),
                       NsText(times.Percentile(0.9)),
                       NsText(times.Percentile(0.99)));
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
                       "    \"itl_ns\": {}\n"
                       "  }}",
                       serving.requests,
                       serving.tokensIn,
                       serving.tokensOut,
                       perSecond(serving.tokensIn),
                       perSecond(serving.tokensOut),
                       perSecond(serving.kept),
                       WriteTimes(serving.ttft),
                       WriteTimes(serving.tpot),
                       WriteTimes(serving.itl));
}

} // namespace nadi
