// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <array>
#include <compare>
#include <cstdint>

namespace nadi
{

/// Where an up-call stands among those of the same instant (docs/semantics.md 1, T4): deliveries
/// before timers, those before the background, then by identities. Never a counter of execution
/// order.
struct EventOrder
{
    enum class Kind : uint8_t
    {
        Delivery, ///< identity: {destination << 32 | source, stream, key.major, key.minor}
        Timer,    ///< identity: {rank, timer kind, two more of the owner's choice}
        /// Does not keep Run() going: samplers, repairs. When nothing else is left to happen, it
        /// does not happen either, unless the network awaits it: messages without a way keep the
        /// run going until the last repair. Identity: {timer kind, three more of the owner's
        /// choice}
        Background,
    };

    Kind kind = Kind::Timer;
    std::array<uint64_t, 4> identity{};

    auto operator<=>(const EventOrder&) const = default;
};

/// Who is called when a scheduled instant comes. Owner: whoever scheduled; outlives the loop's run.
class EventHandler
{
  public:
    virtual ~EventHandler() = default;
    /// `token` is what was given to ScheduleAt.
    virtual void OnEvent(uint64_t token) = 0;

    /// OnEvent will be called with `token` soon, at the present instant, unless the run ends
    /// before. A loop may say so where so many events fall on one instant that what they need is no
    /// longer in the caches; the handler may have it fetched. Holds: changes nothing.
    virtual void Expect(uint64_t /*token*/) const
    {
    }
};

/// The clock and the agenda of everything above the fabric: messages delivered, compute ended,
/// endpoint delays passed.
///
/// Order: all handlers of one instant run at its end, after every arrival in the fabric at that
/// instant, sorted by EventOrder. What a handler schedules for the same instant runs in a further
/// round at that instant, again sorted. So no outcome depends on the order of scheduling.
/// Requires: two entries of one instant and round differ in their EventOrder, or may run in
/// either order.
class EventLoop
{
  public:
    virtual ~EventLoop() = default;

    virtual SimTime Now() const = 0;

    /// Calls back `handler.OnEvent(token)` once at the end of instant `at`. Requires: at >= Now().
    virtual void
    ScheduleAt(SimTime at, const EventOrder& order, EventHandler& handler, uint64_t token) = 0;

    /// Runs until nothing but background is left to happen, or Stop() was called. Returns whether
    /// it ended by itself: false after Stop().
    virtual bool Run() = 0;

    /// Makes Run() return after the present event; before Run(), at once. In force until Run() has
    /// returned. May be called from a handler.
    virtual void Stop() = 0;

    /// Events executed so far, those of the fabric included.
    virtual uint64_t EventCount() const = 0;
};

} // namespace nadi
