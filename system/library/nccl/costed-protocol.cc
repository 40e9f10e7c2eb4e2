// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/costed-protocol.h"

#include "system/library/nccl/cost-terms.h"

#include <algorithm>
#include <cmath>

namespace nadi::nccl
{

namespace
{

constexpr double PS_PER_US = 1e6;

/// Beyond `consentFrom` bytes: one wait at least, and more in proportion to the size, not in whole
/// waits.
SimTime
ConsentTime(const MessageCosts& costs, double size)
{
    if (costs.consentFrom == 0 || size <= costs.consentFrom)
    {
        return {};
    }
    const double times = std::max(1.0, size / costs.consentEach);
    return SimTime::FromPs(std::llround(static_cast<double>(costs.consent.Ps()) * times));
}

} // namespace

SendTerms
CostedProtocol::TermsFor(const LibraryMessage& message) const
{
    return m_seats.ShareNode(message.source, message.destination)
               ? TermsInside(message)
               : TermsBy(m_costs.between, BETWEEN_ENGINE, message);
}

SendTerms
CostedProtocol::TermsBy(const MessageCosts& costs,
                        uint32_t engine,
                        const LibraryMessage& message) const
{
    const auto size = static_cast<double>(message.size.Count());
    const double reduceRate = message.place.stage == 0 ? m_costs.reduceRate : 1;
    // Measured rates are those of data, so the excess contains the headers of frames. The network
    // adds headers itself, so a message carries only the rest of the excess.
    const double wire = (1 + costs.excess) / reduceRate * m_payloadShare;
    SendTerms terms{.engine = engine,
                    .delay = costs.delay + ConsentTime(costs, size),
                    .overhead = Bytes(std::llround(size * std::max(0.0, wire - 1)))};
    if (costs.engineTime > SimTime() || costs.engineSpread > 0)
    {
        terms.engineTime =
            costs.engineTime + SimTime::FromPs(std::llround(size * costs.engineSpread));
    }
    return terms;
}

SimTime
CostedProtocol::ExtendRun(SimTime run) const
{
    const double ran = static_cast<double>(run.Ps()) / PS_PER_US;
    const double drift = m_costs.skew * std::sqrt(std::max(0.0, ran - m_costs.hops));
    const double time = OverLaunch(m_costs.floor, m_costs.start + ran + drift);
    // The result of floating point must not lie before the end of the last message.
    return std::max(run, SimTime::FromPs(std::llround(time * PS_PER_US)));
}

} // namespace nadi::nccl
