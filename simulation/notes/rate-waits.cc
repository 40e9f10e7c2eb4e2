// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/rate-waits.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

/// The part of their time that messages may wait. Below it most runs are off by a few percent;
/// shares of links that flows leave unused until rates change add to that, and are not counted.
constexpr double RATE_WAITS_TOLERATED = 0.05;

} // namespace

std::vector<std::string>
FindRateWaits(const RunInput& input, const RunResults& results)
{
    const double share = results.totals.rateWaits;
    if (share <= RATE_WAITS_TOLERATED)
    {
        return {};
    }
    const ComponentChoice& backend = input.Config().network.backend;
    return {fmt::format("messages waited {:.0f} % of their time for the next change of rates, so "
                        "the run is slower than the network; write a shorter rate-interval than {} "
                        "in network.backend: a hundredth of the time of a collective",
                        share * 100,
                        backend.parameters.at("rate-interval"))};
}

} // namespace nadi
