// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/run-reading.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

constexpr double MOST = 0.7; ///< from here on, a share says what bounds the run

double
ShareOf(SimTime part, SimTime whole)
{
    return static_cast<double>(part.Ps()) / static_cast<double>(whole.Ps());
}

} // namespace

std::string
ReadMetrics(const RankMetrics& metrics, double busiestLink)
{
    if (metrics.finish == SimTime{})
    {
        return "";
    }
    if (ShareOf(metrics.compute, metrics.finish) >= MOST)
    {
        return fmt::format("Computation bounds this job: a perfect network would save {:.1f} %.",
                           100 * ShareOf(metrics.exposedCommunication, metrics.finish));
    }
    if (metrics.idle > std::max(metrics.compute, metrics.exposedCommunication))
    {
        return "This rank mostly waits: for dependencies on other ranks, delays, or its host.";
    }
    if (metrics.exposedCommunication <= metrics.compute)
    {
        return "Computation takes the larger part; what communication adds is not hidden by it.";
    }
    if (busiestLink >= MOST)
    {
        return fmt::format("Communication bounds this job, and while it lasts the busiest link is "
                           "{:.0f} % used:\nmore bandwidth there, or fewer bytes over it, would "
                           "help.",
                           100 * busiestLink);
    }
    return fmt::format("Communication bounds this job, but while it lasts even the busiest link is "
                       "only {:.0f} % used:\nmessages wait for each other and for latency, not for "
                       "bandwidth. Fewer chunks, algorithms\nwith fewer steps or shorter paths "
                       "would help more than faster links.",
                       100 * busiestLink);
}

} // namespace nadi
