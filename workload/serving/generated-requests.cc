// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/generated-requests.h"

#include <algorithm>
#include <cmath>

namespace nadi
{

namespace
{

constexpr double PS_PER_SECOND = 1e12;

} // namespace

std::optional<Request>
GeneratedRequests::Next()
{
    using Process = ArrivalOptions::Process;
    if (m_options.process == Process::Closed)
    {
        // The first request of each user; NextAfter gives the others.
        return m_made < m_options.users ? Make(SimTime()) : std::nullopt;
    }
    if (m_made == m_options.count)
    {
        return std::nullopt;
    }
    m_gaps += DrawGap(m_made);
    // The sum is rounded and not the gaps, whose errors would add up.
    return Make(SimTime::FromPs(std::llround(m_gaps * PS_PER_SECOND)));
}

std::optional<Request>
GeneratedRequests::NextAfter(const Request& /*ended*/, SimTime end)
{
    return m_options.process == ArrivalOptions::Process::Closed ? Make(end + m_options.think)
                                                                : std::nullopt;
}

/// In seconds.
double
GeneratedRequests::DrawGap(uint64_t id) const
{
    RandomNumbers random(m_seed, RandomPurpose::Arrivals, id);
    switch (m_options.process)
    {
    case ArrivalOptions::Process::Poisson:
        return -std::log(random.Uniform()) / m_options.rate;
    case ArrivalOptions::Process::Gamma:
        return DrawGamma(random, 1 / (m_options.variation * m_options.variation)) / m_options.rate;
    // Constant. A closed process has no gaps.
    default:
        return 1 / m_options.rate;
    }
}

std::optional<Request>
GeneratedRequests::Make(SimTime arrival)
{
    if (m_made == m_options.count)
    {
        return std::nullopt;
    }
    Request request{.id = m_made++, .arrival = arrival};
    // A stream for each value: prompts of another length leave the answers as they were.
    RandomNumbers input(m_seed, RandomPurpose::InputLengths, request.id);
    RandomNumbers output(m_seed, RandomPurpose::OutputLengths, request.id);
    RandomNumbers prefix(m_seed, RandomPurpose::Prefixes, request.id);
    request.input = m_options.input.Draw(input);
    request.output = m_options.output.Draw(output);
    request.prefixTokens = std::min(m_options.prefixTokens, request.input);
    request.prefixGroup = prefix.Below(m_options.prefixGroups);
    return request;
}

} // namespace nadi
