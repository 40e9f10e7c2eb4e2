// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/message-program.h"
#include "system/message-programs/program-proof.h"

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace nadi
{

/// Names a lane of a program.
struct ProgramLaneId
{
    uint32_t rank = 0;
    uint32_t lane = 0;
};

/// Which lanes of a program meet: those that send to a rank on a channel, and those that receive
/// there.
class ProgramChannels
{
  public:
    /// The program outlives it.
    explicit ProgramChannels(const MessageProgram& program);

    /// The first lane that shares its way with another one, or whose counterpart is missing, sends
    /// another number of messages, or another number of chunks in one; or none. Nothing else may be
    /// asked if there is one.
    std::optional<ProgramFault> FindFault() const;

    /// The lane that sends what a lane receives. Requires: it receives something.
    ProgramLaneId SenderFor(uint32_t rank, uint32_t lane) const
    {
        return m_senderFor[m_program.LaneNumber(rank, lane)];
    }

    /// The lane that receives what a lane sends. Requires: it sends something.
    ProgramLaneId ReceiverFor(uint32_t rank, uint32_t lane) const
    {
        return m_receiverFor[m_program.LaneNumber(rank, lane)];
    }

    /// Message `message` of what the lane sends: its step in the lane.
    uint32_t SendOf(ProgramLaneId sender, uint32_t message) const
    {
        return m_sends[m_firstSend[m_program.LaneNumber(sender.rank, sender.lane)] + message];
    }

  private:
    struct Way
    {
        uint32_t source;
        uint32_t destination;
        uint32_t channel;
        ProgramLaneId lane;

        auto Key() const
        {
            return std::tuple(source, destination, channel);
        }
    };

    void CollectSends();
    std::vector<Way> FindWays(bool isSending) const;
    std::optional<ProgramFault> FindShared(const std::vector<Way>& ways, const char* verb) const;
    void Join();
    uint32_t MessagesOf(ProgramLaneId lane, bool isSending) const;
    std::optional<ProgramFault> FindUnequal(const Way& sending, const Way& receiving) const;

    const MessageProgram& m_program;
    std::vector<Way> m_sending;               // in order of their keys
    std::vector<Way> m_receiving;             // likewise
    std::vector<ProgramLaneId> m_senderFor;   // by lane number
    std::vector<ProgramLaneId> m_receiverFor; // likewise
    std::vector<size_t> m_firstSend;          // likewise, and the end
    std::vector<uint32_t> m_sends;            // steps, in their lanes
};

} // namespace nadi
