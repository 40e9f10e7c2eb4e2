// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/message.h"
#include "system/collective-plan.h"
#include "system/communicator.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// Where a message lies in the plan of its collective; all 0 between two ranks.
struct PlanPlace
{
    uint32_t stage = 0;
    uint32_t channel = 0; ///< Transfer::channel: the lane, where nothing else is said
};

/// A message as a communication library sees it, from either end.
struct LibraryMessage
{
    VertexId source;
    VertexId destination;
    Bytes size;      ///< payload
    StreamId stream; ///< its collective, or that of a kind of messages
    PlanPlace place{};
};

/// How a message leaves its sender, beyond what the network does. In this order it waits for a
/// slot, for its turn on an engine, and for `delay`; then the network has it.
///
/// All collectives of a rank share its channels and engines, its messages to single ranks have
/// others. A library that keeps communicators apart gives each its own numbers.
struct SendTerms
{
    /// Of the (source, destination, channel): messages that may be under way or not yet used by
    /// the receiver; 0 = any number. Others wait, first come first served.
    uint32_t slots = 0;
    uint32_t channel = 0;
    SimTime creditDelay{}; ///< from the use of a message until its sender has the slot again

    /// How long the message takes the engine of the sender with that number, which serves one
    /// message after the other; the message leaves at the begin of that time. None: no engine.
    std::optional<SimTime> engineTime{};
    uint32_t engine = 0;

    SimTime delay{}; ///< other messages do not wait for it

    Bytes overhead{}; ///< carried besides the payload, such as flags; Message::overhead
};

/// What a member of a plan does with what it holds.
struct LocalTask
{
    VertexId at;
    SimTime begin;
    PlanStep::Action action = PlanStep::Action::Copy;
    Bytes size;
    StreamId stream;                            ///< its call
    const CommunicatorLayout* layout = nullptr; ///< the members of the call
};

/// What a way of the library to run things costs, beyond what the network does: at the start and
/// the end of messages, on the ranks themselves, and for a whole collective. The executor of plans,
/// the messages between two ranks and the planner ask the same protocol.
///
/// Holds: pure but for EndOfLocalWork, so that both ends of a message get the same answers.
class Protocol
{
  public:
    /// How messages leave their senders.
    enum class Start : uint8_t
    {
        /// As soon as they are posted, and with their payload only. The end delay does not depend
        /// on who sends to whom.
        AtOnce,
        OnTerms, ///< as TermsFor says
    };

    explicit Protocol(Start start)
        : m_start(start)
    {
    }

    virtual ~Protocol() = default;

    /// TermsFor is not asked then: most runs have millions of such messages.
    bool SendsAtOnce() const
    {
        return m_start == Start::AtOnce;
    }

    virtual SendTerms TermsFor(const LibraryMessage& /*message*/) const
    {
        return {};
    }

    /// From the delivery of a message until the receiver may use it, reduction included. Messages
    /// do not wait for each other there.
    virtual SimTime EndDelay(const LibraryMessage& message, PlanStep::Action action) const = 0;

    /// How long a rank copies or reduces `size` bytes that it holds.
    virtual SimTime LocalTime(PlanStep::Action action, Bytes size) const = 0;

    /// When such work ends that begins now. It may wait for earlier work of the member, so this is
    /// asked once for each. Requires: in the order of time.
    virtual SimTime EndOfLocalWork(const LocalTask& task) const
    {
        return task.begin + LocalTime(task.action, task.size);
    }

    /// What the ends of a message add to a step that nothing but latency rules; for the planner.
    virtual SimTime StepDelay() const = 0;

    /// How long a collective takes on a member whose last phase ended `run` after it began: `run`,
    /// or longer for what no message takes, such as the launch of a kernel.
    virtual SimTime ExtendRun(SimTime run) const
    {
        return run;
    }

  private:
    Start m_start;
};

} // namespace nadi
