// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/nccl/cost-context.h"
#include "system/library/nccl/node-seats.h"
#include "system/library/protocol.h"

namespace nadi::nccl
{

/// Sends and receives between two ranks. Inside a node a send has 8 channels, and up to 32 where
/// each would have more than 16 MiB; to another node its rate is that of one peer.
class PeerProtocol : public Protocol
{
  public:
    explicit PeerProtocol(const CostContext& context);

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
        return m_insideDelay;
    }

  private:
    double InsideRate(double size) const;

    const NodeSeats& m_seats;
    SimTime m_insideDelay;
    SimTime m_betweenDelay;
    double m_payloadShare;
    double m_link;        ///< between two ranks of a node, GB/s
    double m_mostInside;  ///< GB/s
    double m_channelRate; ///< GB/s
    double m_nic;         ///< GB/s
    double m_peerRate;    ///< GB/s
};

} // namespace nadi::nccl
