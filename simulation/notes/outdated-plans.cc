// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/outdated-plans.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

/// What was planned and has run, in words; empty: nothing.
std::string
DescribePlans(const RunResults& results)
{
    const auto ran = [&results](auto predicate)
    {
        return std::ranges::any_of(results.collectives,
                                   [&](const CollectiveResult& result)
                                   { return predicate(result.record); });
    };
    const bool hasPrograms = ran([](const CollectiveRecord& record)
                                 { return record.decision.algorithm == "synthesized"; });
    const bool hasTrees = ran([](const CollectiveRecord& record) { return record.hasSwitches; });
    if (hasPrograms)
    {
        return hasTrees ? "synthesised plans and trees of switches" : "synthesised plans";
    }
    return hasTrees ? "trees of switches" : "";
}

/// Whether the fault gave its links, during the run, a bandwidth that they do not have at 0 s, or
/// took that from them.
bool
HasChangedRates(const LinkFault& fault, const RunResults& results)
{
    const bool isForAll = fault.at <= SimTime() && (!fault.until || *fault.until > results.finish);
    return fault.bandwidth && !isForAll &&
           std::ranges::any_of(
               fault.links, [&](LinkId link) { return results.links[link.value].hasAlteredRate; });
}

} // namespace

std::vector<std::string>
FindOutdatedPlans(const RunInput& input, const RunResults& results)
{
    const std::string plans = DescribePlans(results);
    if (plans.empty())
    {
        return {};
    }
    std::vector<std::string> warnings;
    if (results.totals.reroutes > 0)
    {
        warnings.push_back(fmt::format(
            "links failed under {}, which were made for the whole network; their messages took "
            "other ways (mechanisms.reroutes). Describe the network without these links to have "
            "plans for what is left",
            plans));
    }
    if (std::ranges::any_of(input.Faults(),
                            [&](const LinkFault& fault)
                            { return HasChangedRates(fault, results); }))
    {
        warnings.push_back(fmt::format("links changed their bandwidth under {}, which were made "
                                       "for the bandwidths at 0 s",
                                       plans));
    }
    return warnings;
}

} // namespace nadi
