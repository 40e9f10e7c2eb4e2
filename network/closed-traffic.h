// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/message.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Messages among some ranks that depend on each other and on nothing else, such as those of a
/// collective. Each rank has a *part* in it, which ends when the rank has sent and received all
/// that it has to. Once it has begun, when it ends is a function of when its messages arrive.
///
/// A backend may take one over (NetworkBackend::Take). If it knows from before when such traffic
/// ends, the messages are never made.
///
/// Owner: whoever made it; lives until Release.
class ClosedTraffic
{
  public:
    /// Two parts, of which the first sends to the second.
    struct Ends
    {
        uint32_t source = 0;
        uint32_t destination = 0;

        auto operator<=>(const Ends&) const = default;
    };

    virtual ~ClosedTraffic() = default;

    /// All its messages are sent on this stream, and no others are.
    virtual StreamId Stream() const = 0;

    /// Traffic of equal numbers differs in its stream and in the ranks of its parts alone; where
    /// the streams are of one communicator too, the parts are the same ranks. Below 2^63.
    virtual uint64_t Program() const = 0;

    virtual uint32_t PartCount() const = 0;
    virtual RankId RankOf(uint32_t part) const = 0;
    virtual uint32_t PartOf(RankId rank) const = 0;

    /// Who sends to whom, in ascending order: a function of the program. Empty: the traffic is not
    /// to be taken over.
    virtual std::vector<Ends> FindEnds() = 0;

    /// Begins now: sends its first messages. Requires: called once. Holds: no part ends in it.
    virtual void Begin() = 0;

    /// A part has ended, now. Called once for each part, from the event loop, in any order within
    /// an instant.
    virtual void OnPartEnded(uint32_t part) = 0;

    /// One of its messages was delivered, now or before, that was never sent.
    virtual void OnMessageSkipped(const Delivery& delivery) = 0;

    /// The backend does not need it any more. Holds: all parts have ended.
    virtual void Release() = 0;
};

} // namespace nadi
