// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/network-options.h"
#include "system/synthesis/route-model.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi::synthesis
{

/// What messages cost.
struct MessageCosts
{
    const PacketOptions& packet; ///< payload and header of frames, latency of switches
    SimTime endpointDelay;       ///< from the arrival of a message to its use
    std::optional<Bandwidth> reductionBandwidth = std::nullopt; ///< none: reductions take no time
};

/// For how long a link is busy with a message.
enum class LinkUse
{
    Wire,         ///< while its bits leave
    UntilArrival, ///< until the last bit has arrived
};

/// The times of messages of one size on the ways of a model, in picoseconds.
class MessageTimes
{
  public:
    MessageTimes(const RouteModel& model,
                 const MessageCosts& costs,
                 Bytes size,
                 LinkUse use = LinkUse::Wire);

    /// How long the link is taken, by the number of the hop through all ways.
    int64_t OnHop(size_t hop) const
    {
        return m_onHop[hop];
    }

    /// How long the slowest link of the way takes: before that no other message begins on the way.
    int64_t Busy(uint32_t way) const
    {
        return m_busy[way];
    }

    /// From the begin of the message until it may be used.
    int64_t ToUse(uint32_t way) const
    {
        return m_toUse[way];
    }

    /// What adding it to what the receiver has takes besides.
    int64_t Reduction() const
    {
        return m_reduction;
    }

    /// The same, where every message takes the time of its reduction until it may be used.
    MessageTimes WithReduction() const;

  private:
    std::vector<int64_t> m_onHop;
    std::vector<int64_t> m_busy;
    std::vector<int64_t> m_toUse;
    int64_t m_reduction = 0;
};

} // namespace nadi::synthesis
