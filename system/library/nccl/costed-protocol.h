// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/nccl/node-seats.h"
#include "system/library/protocol.h"

#include <cstdint>

namespace nadi::nccl
{

/// What one message costs beyond its payload on the wire.
struct MessageCosts
{
    SimTime delay{}; ///< of its start: what a hop takes beyond the latency of the wire
    /// Bytes that it carries besides each byte of payload. Flags are such bytes; and a kernel that
    /// fills three quarters of a link's time occupies it as if it carried a third more.
    double excess = 0;

    SimTime engineTime{};    ///< of its sender's engine, for any message
    double engineSpread = 0; ///< and for each byte, in ps; both 0: there is no engine
    double consentFrom = 0;  ///< above so many bytes it waits for the receiver's consent; 0: never
    SimTime consent{};       ///< that waiting, for each
    double consentEach = 1;  ///< so many bytes
};

/// The costs of a kernel: all messages and calls that one algorithm has with one protocol and one
/// number of channels.
///
/// A call takes T = (floor^6 + kernel^6)^(1/6) where the kernel takes start + run + drift: a launch
/// is asynchronous, so it is a floor and no summand, rounded where both are about equal. The drift
/// is skew * sqrt(t) of the t us that a run takes beyond its hops. Source of the form: the fit of
/// docs/calibration.md.
struct KernelCosts
{
    MessageCosts inside{};
    MessageCosts between{};
    double floor = 0; ///< us
    double start = 0; ///< us
    double hops = 0;  ///< us of a run that hops take
    double skew = 0;  ///< us^0.5
    /// Of the rate of other messages: that of messages of a plan's first stage, which are added to
    /// what the receiver has.
    double reduceRate = 1;
};

class CostedProtocol : public Protocol
{
  public:
    /// `payloadShare`: of a full frame. Costs are those of data, so that headers take no part of
    /// them. `seats` outlives it.
    CostedProtocol(const KernelCosts& costs, const NodeSeats& seats, double payloadShare)
        : Protocol(Start::OnTerms)
        , m_costs(costs)
        , m_seats(seats)
        , m_payloadShare(payloadShare)
    {
    }

    SendTerms TermsFor(const LibraryMessage& message) const override;

    SimTime EndDelay(const LibraryMessage& /*message*/, PlanStep::Action /*action*/) const override
    {
        return {};
    }

    SimTime LocalTime(PlanStep::Action /*action*/, Bytes /*size*/) const override
    {
        return {};
    }

    SimTime StepDelay() const override
    {
        return m_costs.inside.delay;
    }

    SimTime ExtendRun(SimTime run) const override;

  protected:
    /// Of a message that does not leave its node.
    SendTerms TermsInside(const LibraryMessage& message) const
    {
        return TermsBy(m_costs.inside, INSIDE_ENGINE, message);
    }

  private:
    static constexpr uint32_t INSIDE_ENGINE = 0;
    static constexpr uint32_t BETWEEN_ENGINE = 1;

    SendTerms
    TermsBy(const MessageCosts& costs, uint32_t engine, const LibraryMessage& message) const;

    KernelCosts m_costs;
    const NodeSeats& m_seats;
    double m_payloadShare;
};

} // namespace nadi::nccl
