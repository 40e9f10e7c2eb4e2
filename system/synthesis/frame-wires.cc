// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/frame-wires.h"

#include "common/check.h"

#include <algorithm>
#include <utility>

namespace nadi::synthesis
{

FrameWires::FrameWires(const RouteModel& model, const MessageCosts& costs, uint64_t framesOfPiece)
    : m_model(model)
    , m_costs(costs)
    , m_framesOfPiece(framesOfPiece)
    , m_links(model.LinkCount())
    , m_waiting(model.WayCount())
{
    NADI_CHECK(framesOfPiece > 0);
}

uint32_t
FrameWires::Post(uint32_t way, Bytes size, int64_t now)
{
    const MessageFrames frames = CutIntoFrames(size, m_costs.packet);
    m_waiting[way].push_back({.message = m_messages, .frames = frames, .left = frames.Count()});
    // The way stands in the line of its first link exactly while it has something to send: TakeNext
    // puts it back as long as messages wait.
    if (m_waiting[way].size() == 1)
    {
        Enqueue(m_model.HopsOf(way).front().link, way, now);
    }
    return m_messages++;
}

std::optional<int64_t>
FrameWires::NextTime() const
{
    return m_events.empty() ? std::nullopt : std::optional(m_events.top().time);
}

void
FrameWires::Advance(std::vector<Delivery>& delivered)
{
    const Event event = m_events.top();
    m_events.pop();
    Link& link = m_links[event.link];
    if (!event.isArrival)
    {
        link.isFreeAwaited = false;
        return ServeNext(event.link, event.time, delivered);
    }
    // Where nothing waits and the link is free, the piece needs neither a place in the line nor an
    // event.
    if (link.turns.empty() && link.free <= event.time)
    {
        return Serve(link, event.piece, event.time, delivered);
    }
    link.passing.push_back(event.piece);
    if (link.passing.size() == 1)
    {
        Enqueue(event.link, PASSING, event.time);
    }
}

/// The source has something to send over the link.
void
FrameWires::Enqueue(uint32_t link, uint32_t source, int64_t now)
{
    m_links[link].turns.push_back(source);
    AwaitFree(link, now);
}

/// A link has at most one event that says that it is free, however many sources stand in its line.
void
FrameWires::AwaitFree(uint32_t link, int64_t now)
{
    Link& at = m_links[link];
    if (!std::exchange(at.isFreeAwaited, true))
    {
        Push({.time = std::max(now, at.free), .link = link});
    }
}

void
FrameWires::ServeNext(uint32_t link, int64_t now, std::vector<Delivery>& delivered)
{
    Link& at = m_links[link];
    if (at.turns.empty())
    {
        return;
    }
    Serve(at, TakeNext(at), now, delivered);
    if (!at.turns.empty())
    {
        AwaitFree(link, now);
    }
}

/// Of the source whose turn it is, which goes to the end of the line if it has more.
FrameWires::Piece
FrameWires::TakeNext(Link& link)
{
    const uint32_t source = link.turns.front();
    link.turns.pop_front();
    if (source != PASSING)
    {
        const Piece piece = TakePiece(source);
        if (!m_waiting[source].empty())
        {
            link.turns.push_back(source);
        }
        return piece;
    }
    const Piece piece = link.passing.front();
    link.passing.pop_front();
    if (!link.passing.empty())
    {
        link.turns.push_back(PASSING);
    }
    return piece;
}

/// The next frames of the first message that waits for the way.
FrameWires::Piece
FrameWires::TakePiece(uint32_t way)
{
    Waiting& waiting = m_waiting[way].front();
    const MessageFrames& frames = waiting.frames;
    // Full frames leave first, then the last one, which may be shorter. The piece has some full
    // frames, the last one, or both.
    const uint64_t sent = frames.Count() - waiting.left;
    const uint64_t taken = std::min(waiting.left, m_framesOfPiece);
    const auto allFull = static_cast<uint64_t>(frames.full);
    const uint64_t full = std::min(allFull - std::min(allFull, sent), taken);
    waiting.left -= taken;
    const Bytes last = full < taken ? frames.lastWire : Bytes(0);
    const Piece piece{.message = waiting.message,
                      .way = way,
                      .wire = frames.fullWire * static_cast<int64_t>(full) + last,
                      .firstFrame = full > 0 ? frames.fullWire : frames.lastWire,
                      .isLast = waiting.left == 0};
    if (piece.isLast)
    {
        m_waiting[way].pop_front();
    }
    return piece;
}

const WayHop&
FrameWires::HopOf(const Piece& piece) const
{
    return m_model.HopsOf(piece.way)[piece.hop];
}

int64_t
FrameWires::TimeOn(const WayHop& hop, Bytes wire) const
{
    const SimTime whole = wire / m_model.RateOf(hop.link);
    return detail::DivideRoundingUp(detail::Wide{whole.Ps()} * static_cast<int64_t>(hop.share),
                                    static_cast<int64_t>(WayHop::WHOLE));
}

/// The last bit leaves after all of the piece, and not before it has come.
void
FrameWires::Serve(Link& link, Piece piece, int64_t now, std::vector<Delivery>& delivered)
{
    const WayHop& hop = HopOf(piece);
    const int64_t firstFrame = TimeOn(hop, piece.firstFrame);
    link.free = std::max(now + TimeOn(hop, piece.wire), piece.arrived + firstFrame);
    const auto hops = static_cast<int64_t>(m_model.HopsOf(piece.way).size());
    const int64_t latency = m_model.At(piece.way).latency.Ps();
    const bool isLastHop = piece.hop + 1 == hops;
    // What does not divide counts on the last hop.
    const int64_t onHop = isLastHop ? latency - latency / hops * (hops - 1) : latency / hops;
    piece.arrived = link.free + onHop;
    if (isLastHop)
    {
        if (piece.isLast)
        {
            delivered.push_back({piece.message, piece.arrived + m_costs.endpointDelay.Ps()});
        }
        return;
    }
    ++piece.hop;
    // The piece is passed on once its first frame is there. The next link may then be busy with the
    // piece for longer than its bits need, until the last bit has come (`arrived`).
    Push({.time = now + firstFrame + onHop,
          .link = HopOf(piece).link,
          .isArrival = true,
          .piece = piece});
}

void
FrameWires::Push(Event event)
{
    event.number = m_eventCount++;
    m_events.push(event);
}

} // namespace nadi::synthesis
