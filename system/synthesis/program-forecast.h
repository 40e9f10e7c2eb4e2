// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/message-programs/message-program.h"
#include "system/message-programs/program-channels.h"
#include "system/synthesis/frame-wires.h"
#include "system/synthesis/message-times.h"
#include "system/synthesis/route-model.h"

#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace nadi::synthesis
{

/// The pairs of ranks between which a program sends messages, in ascending order.
std::vector<std::pair<uint32_t, uint32_t>> FindMessagePairs(const MessageProgram& program);

/// Predicts how long any program takes: its ranks run their lanes as they are written, and links
/// serve its messages frame by frame (FrameWires). Where that would be more than MOST_PIECES in
/// all, frames are served several at a time.
class ProgramForecast
{
  public:
    static constexpr uint64_t MOST_PIECES = 500'000;

    /// `model` has ways between all pairs of FindMessagePairs; `size` is that of the whole buffer.
    /// Requires: the references outlive it; the program has no fault (FindProgramFault), and no
    /// sizes of its own.
    ProgramForecast(const MessageProgram& program,
                    const RouteModel& model,
                    const MessageCosts& costs,
                    Bytes size);

    /// From the begin until the last step of all is complete, and the last message may be used.
    /// Nothing: that is later than `most`. Once only.
    std::optional<SimTime> Run(SimTime most = SimTime::Max());

  private:
    /// A lane may go on.
    struct Event
    {
        int64_t time = 0;
        uint64_t number = 0; ///< of events, so that those of one instant keep their order
        ProgramLaneId lane;

        bool operator>(const Event& other) const
        {
            return std::pair(time, number) > std::pair(other.time, other.number);
        }
    };

    /// A message on its way.
    struct Message
    {
        ProgramLaneId sender;
        ProgramLaneId receiver;
        bool isAwaited = false; ///< the sender's lane goes on when it is delivered
    };

    void FindWays();
    void Wake(ProgramLaneId lane, int64_t time);
    void RunLane(ProgramLaneId lane);
    std::optional<int64_t> FindBegin(ProgramLaneId lane, const ProgramStep& step);
    int64_t Execute(ProgramLaneId lane, const ProgramStep& step) const;
    void Post(ProgramLaneId lane, const ProgramStep& step);
    void Deliver(const FrameWires::Delivery& delivery);
    void Complete(ProgramLaneId lane, int64_t time);
    uint64_t FramesOfPiece() const;
    int64_t Reduction(uint32_t count) const;
    Bytes SizeOf(uint32_t count) const;

    uint32_t NumberOf(ProgramLaneId lane) const
    {
        return m_program.LaneNumber(lane.rank, lane.lane);
    }

    const MessageProgram& m_program;
    const RouteModel& m_model;
    const MessageCosts& m_costs;
    Bytes m_size;
    ProgramChannels m_channels;
    std::vector<uint32_t> m_wayOf;                // by lane: that of its sends
    std::vector<Message> m_messages;              // by their numbers on the wires
    std::vector<uint32_t> m_posted;               // by receiving lane
    std::vector<bool> m_isBlocked;                // by lane: it waits for a delivery
    std::vector<uint32_t> m_next;                 // by lane: its step
    std::vector<int64_t> m_laneFree;              // by lane: when the step before it is complete
    std::vector<int64_t> m_wakeAt;                // by lane: when it goes on; NEVER
    std::vector<std::vector<int64_t>> m_arrivals; // by receiving lane, by message; UNKNOWN
    std::vector<int64_t> m_complete;              // by step; UNKNOWN
    std::map<size_t, std::vector<ProgramLaneId>> m_waiters; // by step
    std::priority_queue<Event, std::vector<Event>, std::greater<>> m_events;
    uint64_t m_eventCount = 0;
    int64_t m_now = 0;
    int64_t m_end = 0;
    std::optional<FrameWires> m_wires;
};

} // namespace nadi::synthesis
