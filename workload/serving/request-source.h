// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/request.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// Where requests come from, one at a time: there can be millions.
///
/// Holds: ids count from 0 in the order in which requests are given out, and RequestArrivals counts
/// them anew; arrivals that Next gives never go back.
class RequestSource
{
  public:
    virtual ~RequestSource() = default;

    /// The next request that waits for the end of no other one; none: there is no more.
    virtual std::optional<Request> Next() = 0;

    /// The request that follows the end of `ended`, of users who wait for their answers: its
    /// arrival is `end` or later.
    virtual std::optional<Request> NextAfter(const Request& /*ended*/, SimTime /*end*/)
    {
        return std::nullopt;
    }
};

} // namespace nadi
