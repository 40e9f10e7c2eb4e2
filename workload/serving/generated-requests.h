// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/length-distribution.h"
#include "workload/serving/request-source.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// When requests come, and how long they are; `workload.serve.requests` without a trace.
struct ArrivalOptions
{
    enum class Process : uint8_t
    {
        Poisson,  ///< gaps are exponential
        Gamma,    ///< gaps have the coefficient of variation `variation`: bursts above 1
        Constant, ///< all gaps are equal
        Closed,   ///< each of `users` waits for its answer, thinks, and asks again
    };

    Process process = Process::Poisson;
    double rate = 0; ///< requests a second; of all but Closed, > 0
    double variation = 1;
    uint64_t users = 1;
    SimTime think = {};
    uint64_t count = 1000;
    LengthDistribution input{.mean = 512};
    LengthDistribution output{.mean = 128};
    uint64_t prefixTokens = 0; ///< at the begin of each prompt, which its group has in common
    uint64_t prefixGroups = 1;

    bool operator==(const ArrivalOptions&) const = default;
};

/// Requests that are drawn. Every value is a function of (seed, id): gaps and lengths do not depend
/// on what happens in the run.
///
/// Arrivals of a Poisson process: gap = -ln(u) / rate. Gamma: gaps of shape 1 / variation^2. Users
/// of a closed process begin at 0; the next request of a user comes `think` after the end of the
/// one before, so that its id depends on who ends first.
class GeneratedRequests : public RequestSource
{
  public:
    GeneratedRequests(const ArrivalOptions& options, uint64_t seed)
        : m_options(options)
        , m_seed(seed)
    {
    }

    std::optional<Request> Next() override;
    std::optional<Request> NextAfter(const Request& ended, SimTime end) override;

  private:
    std::optional<Request> Make(SimTime arrival);
    double DrawGap(uint64_t id) const;

    ArrivalOptions m_options;
    uint64_t m_seed;
    uint64_t m_made = 0;
    double m_gaps = 0; // sum so far, in seconds
};

} // namespace nadi
