// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/in-network-options.h"
#include "system/library/protocol.h"

namespace nadi
{

/// What a slice costs in a switch that computes, beyond the network: its latency. What it has done
/// leaves at once.
class SwitchProtocol : public Protocol
{
  public:
    explicit SwitchProtocol(const InNetworkOptions& options)
        : Protocol(Start::AtOnce)
        , m_latency(options.latency)
    {
    }

    SimTime EndDelay(const LibraryMessage& /*message*/, PlanStep::Action /*action*/) const override
    {
        return m_latency;
    }

    SimTime LocalTime(PlanStep::Action /*action*/, Bytes /*size*/) const override
    {
        return {};
    }

    SimTime StepDelay() const override
    {
        return m_latency;
    }

  private:
    SimTime m_latency;
};

} // namespace nadi
