// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/message-program.h"
#include "system/synthesis/route-model.h"
#include "system/synthesis/transfer.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi::synthesis
{

/// In which places the chunks of a schedule lie where they are sent and received.
///
/// A chunk lies at the place of its number. Those of an all-to-all start in the row of their source
/// and end where the collective wants them; a rank that relays one has a place of scratch for it.
class TravelPlaces
{
  public:
    /// `buffers`: all but the scratch.
    TravelPlaces(const RouteModel& model, const Schedule& schedule, const ProgramBuffers& buffers);

    /// With the scratch.
    const ProgramBuffers& Buffers() const
    {
        return m_buffers;
    }

    uint32_t Sent(uint32_t transfer) const
    {
        return m_sent.empty() ? m_schedule[transfer].chunk : m_sent[transfer];
    }

    uint32_t Received(uint32_t transfer) const
    {
        return m_received.empty() ? m_schedule[transfer].chunk : m_received[transfer];
    }

    /// Of the message, by the numbers of the buffers.
    std::optional<uint32_t> ChunkOf(uint32_t transfer) const;

    /// Whether ranks copy what they send themselves.
    bool HasOwn() const
    {
        return m_buffers.type == CollectiveType::AllToAll;
    }

  private:
    void FollowChunks(const RouteModel& model);

    const Schedule& m_schedule;
    ProgramBuffers m_buffers;
    std::vector<uint32_t> m_sent;     // by transfer: all-to-all
    std::vector<uint32_t> m_received; // by transfer: all-to-all
};

} // namespace nadi::synthesis
