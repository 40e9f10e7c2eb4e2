// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/serving-summary.h"

#include "cli/terminal/summary-text.h"
#include "common/text.h"
#include "common/unit-parser.h"
#include "simulation/reading/share.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

std::vector<std::string>
MakeTimesRow(const std::string& name, const TimeHistogram& times)
{
    if (times.Count() == 0)
    {
        return {name, "-", "-", "-", "-"}; // no answer has a second token
    }
    return {name,
            ToRoundedText(times.Mean()),
            ToRoundedText(times.Percentile(0.5)),
            ToRoundedText(times.Percentile(0.9)),
            ToRoundedText(times.Percentile(0.99))};
}

/// Where tokens fall unevenly on ranks, the hottest of them.
std::string
DescribeHotExperts(const RunInput& input, const ServingTotals& serving)
{
    constexpr double worthSaying = 1.2;
    if (serving.experts.IsEmpty())
    {
        return "";
    }
    const ExpertSkew skew = serving.experts.SkewOfRanks();
    if (skew.largestOverMean < worthSaying)
    {
        return "";
    }
    const ExpertTokens hottest = serving.experts.Hottest();
    return fmt::format("\nExperts are loaded unevenly: the fullest rank of a layer computes {:.2f} "
                       "times as many tokens as the mean. The fullest of all is rank {} (npu{}) in "
                       "layer {}; its layer waits for it, and for the link to it.\n",
                       skew.largestOverMean,
                       hottest.rank.value,
                       input.Topology().Placement().PlaceOf(hottest.rank),
                       hottest.layer);
}

std::string
DescribeThroughput(const ServingTotals& serving, const ServiceLevel& level)
{
    std::string text = fmt::format("Served {}: {:.4g} tokens/s in, {:.4g} tokens/s out",
                                   CountText(serving.requests, "request"),
                                   serving.PerSecond(serving.tokensIn),
                                   serving.PerSecond(serving.tokensOut));
    // Without a limit there is no SLO to keep.
    if (level.ttft || level.tpot)
    {
        text += fmt::format("; {:.4g} requests/s keep the SLO ({} of {})",
                            serving.PerSecond(serving.kept),
                            serving.kept,
                            serving.requests);
    }
    return text + "\n";
}

} // namespace

std::string
DescribeServing(const RunInput& input, const RunResults& results, const Style& style)
{
    if (!results.serving)
    {
        return "";
    }
    const ServingTotals& serving = *results.serving;
    Rows instances{{"instance", "busy", "iterations", "tokens", "KV at most"}};
    for (const InstanceTotals& one : serving.instances)
    {
        instances.push_back({one.name,
                             PercentText(ShareOf(one.busy, results.finish)),
                             std::to_string(one.iterations),
                             std::to_string(one.tokens),
                             ToRoundedText(Bytes(static_cast<int64_t>(one.kvPeakBytes)))});
    }
    // Holds: there are such options where something was served.
    const ServeOptions& options = *input.Config().workload.serve;
    // Percentiles come from histograms and are exact to 0.1 %, as times of requests are not kept.
    return DescribeThroughput(serving, options.serviceLevel) +
           TitledTable("How long users wait",
                       {{"", "mean", "p50", "p90", "p99"},
                        MakeTimesRow("time to the first token", serving.ttft),
                        MakeTimesRow("time for each further one", serving.tpot),
                        MakeTimesRow("gap between tokens", serving.itl)},
                       style) +
           TitledTable("Instances", instances, style) + DescribeHotExperts(input, serving);
}

} // namespace nadi
