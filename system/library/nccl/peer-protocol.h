// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/nccl/cost-context.h"
#include "system/library/nccl/cost-terms.h"
#include "system/library/nccl/node-seats.h"
#include "system/library/protocol.h"

namespace nadi::nccl
{

/// Sends and receives between two ranks. Inside a node a send has 8 channels, and up to 32 where
/// each would have more than 16 MiB; to another node its rate is that of one peer. As for a
/// collective, the launch is a floor.
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
        return BeyondWire(m_inside.start, m_inside.wire);
    }

  private:
    /// From a rank to another.
    struct Way
    {
        double start = 0; ///< us until a message is on it, with the latency of the wire
        SimTime wire;     ///< that latency
        double link = 0;  ///< GB/s
    };

    double InsideRate(double size) const;

    const CostParameters& m_values;
    const NodeSeats& m_seats;
    double m_payloadShare;
    double m_floor;      ///< us
    double m_mostInside; ///< GB/s
    Way m_inside;
    Way m_between;
    double m_peerRate; ///< GB/s
};

} // namespace nadi::nccl
