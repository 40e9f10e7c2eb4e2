// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/path-metrics.h"
#include "system/synthesis/message-times.h"
#include "system/synthesis/route-model.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <queue>
#include <vector>

namespace nadi::synthesis
{

/// The links of a model as queues of frames: what messages do to each other where they meet.
///
/// A link serves one frame after the other. Messages that begin at its sending end, way by way, and
/// frames that only pass there take turns; frames that pass are served in the order in which they
/// come. The latency of a way counts in equal parts on its hops. Where the routing offers several
/// links, a frame takes its part of the time of each, one after the other.
///
/// To save time, several frames may be served as one piece. A piece is passed on as soon as its
/// first frame is there, so that pieces cost no time but where messages take turns.
class FrameWires
{
  public:
    /// A message that may be used from some time on.
    struct Delivery
    {
        uint32_t message = 0;
        int64_t time = 0;
    };

    /// Requires: both outlive it; framesOfPiece > 0.
    FrameWires(const RouteModel& model, const MessageCosts& costs, uint64_t framesOfPiece);

    /// Sends a message at `now`; its number, which counts up from 0.
    /// Requires: `now` is not before the time of what Advance did last.
    uint32_t Post(uint32_t way, Bytes size, int64_t now);

    /// When something happens next. Nothing: all is delivered.
    std::optional<int64_t> NextTime() const;

    /// Lets it happen. Adds the messages of which it tells when they may be used; those of a way in
    /// the order in which they were posted. Requires: NextTime().
    void Advance(std::vector<Delivery>& delivered);

  private:
    /// A message that has not left its sender.
    struct Waiting
    {
        uint32_t message = 0;
        MessageFrames frames;
        uint64_t left = 0; ///< frames
    };

    /// Frames of a message on their way.
    struct Piece
    {
        uint32_t message = 0;
        uint32_t way = 0;
        uint32_t hop = 0; ///< of the way
        Bytes wire;
        Bytes firstFrame;
        bool isLast = false;
        int64_t arrived = 0; ///< its last bit, at the link of `hop`
    };

    struct Link
    {
        int64_t free = 0;
        bool isFreeAwaited = false;
        std::deque<uint32_t> turns; ///< ways, or PASSING, that have something to send
        std::deque<Piece> passing;
    };

    /// A piece that comes to a link, or (LINK_FREE) a link that is free.
    struct Event
    {
        int64_t time = 0;
        uint64_t number = 0; ///< so that those of one instant keep their order
        uint32_t link = 0;
        bool isArrival = false;
        Piece piece{};

        bool operator>(const Event& other) const
        {
            return time != other.time ? time > other.time : number > other.number;
        }
    };

    static constexpr uint32_t PASSING = UINT32_MAX;

    const WayHop& HopOf(const Piece& piece) const;
    int64_t TimeOn(const WayHop& hop, Bytes wire) const;
    Piece TakePiece(uint32_t way);
    Piece TakeNext(Link& link);
    void Enqueue(uint32_t link, uint32_t source, int64_t now);
    void AwaitFree(uint32_t link, int64_t now);
    void ServeNext(uint32_t link, int64_t now, std::vector<Delivery>& delivered);
    void Serve(Link& link, Piece piece, int64_t now, std::vector<Delivery>& delivered);
    void Push(Event event);

    const RouteModel& m_model;
    const MessageCosts& m_costs;
    uint64_t m_framesOfPiece;
    std::vector<Link> m_links;
    std::vector<std::deque<Waiting>> m_waiting; // by way
    std::priority_queue<Event, std::vector<Event>, std::greater<>> m_events;
    uint64_t m_eventCount = 0;
    uint32_t m_messages = 0;
};

} // namespace nadi::synthesis
