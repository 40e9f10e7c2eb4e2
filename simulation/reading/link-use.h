// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <optional>
#include <string>

namespace nadi
{

/// How busy the links were while the slowest rank communicated. A counter says what a link carried
/// over the whole job, not when, so there are two bounds instead of one number.
///
/// Example: a job takes 10 ms, and the slowest rank communicates for 8 ms of it. A link that could
/// carry 100 MB in 10 ms carried 60 MB. In the other 2 ms it carried 20 MB at most, so in the 8 ms
/// it carried 40 MB at least, half of what it could; and 60 MB at most, three quarters.
struct LinkUse
{
    /// One link, `busiest`, was used that much at least: as if all links had been full while the
    /// rank did not communicate.
    double atLeast = 0;
    /// No link was used more: as if all bytes had been carried while the rank communicated.
    double atMost = 0;
    std::string busiest; ///< the link of `atLeast`: "npu0 -> npu1"
    /// Slower links carried bytes, too. Where such a link is full, the slow ones set no pace.
    bool isOfTheFaster = false;
    /// The mean use of the links that routes take as well as `busiest`, as `atMost`, where a switch
    /// chooses among them by the hash of ECMP; none: there are no such links, or something else
    /// chooses.
    std::optional<double> besideIt = std::nullopt;
};

/// Of links that were used equally, `busiest` is the one with the lowest id. Requires: the job has
/// ended.
LinkUse MeasureLinks(const RunInput& input, const RunResults& results);

} // namespace nadi
