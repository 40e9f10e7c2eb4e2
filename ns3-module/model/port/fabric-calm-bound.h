// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_CALM_BOUND_H
#define FABRIC_CALM_BOUND_H

#include "fabric-arbiter.h"

#include <cstdint>
#include <limits>

namespace ns3
{

class FabricOutput;
class FabricLinkTimes;
class FabricPort;
class FabricPortTrains;

/// \ingroup fabric
/// An upper bound of the queue of a port, for as long as it holds. While it shows that marks and
/// the memory of the node cannot act, the port forms trains as if they did not exist.
///
/// Frames come by touches, after each of which the bound is computed anew, or in the trains that
/// are expected. Say that k frames in transit wait at the present instant, n trains are expected,
/// and r is the time until the port surely starts a frame in transit again. A train with a gap of g
/// brings at most d/g + 1 frames within a time d. While frames in transit wait, one of them starts
/// within each slot: the time of a full frame, or of two where local queue pairs alternate with
/// them. (Where data has several priorities, none need start while local queue pairs wait: those of
/// another priority may go first.) So at most k + n + 1 + r/slot + d (sum of 1/g - 1/slot) frames
/// wait at any time up to d from now. Where the sum is positive, the bound holds up to a horizon
/// only, and the port has an event there.
///
/// The bound is used twice:
/// * An action that does nothing to frames while few bytes wait (FabricStartAction::GetIdleQueue)
///   does nothing below the bound. Beyond it, no trains start here until the queue is surely short
///   again for a while.
/// * The port claims the bound, and a frame for the link, from its node. The memory of the node
///   cannot act while the claims of all ports are few (FabricNode::Claim).
///
/// Owner: the port.
class FabricCalmBound
{
  public:
    static constexpr int64_t NEVER = FabricArbiter::NEVER;

    FabricCalmBound(FabricPort& link, FabricOutput& output, FabricPortTrains& trains);

    /// Requires: the trains are prepared.
    void Prepare();

    /// The port was touched at `now`, and settled.
    void Renew(int64_t now)
    {
        if (m_isNeeded)
        {
            Compute(now);
        }
    }

    /// Until when what was concluded from the bound is sure.
    int64_t GetHorizon() const
    {
        return m_horizon;
    }

  private:
    static constexpr uint64_t ANY = std::numeric_limits<uint64_t>::max();

    /// The bound: so many frames, and more with time.
    struct Bound
    {
        uint64_t frames = 0;
        uint64_t rate = 0; ///< frames per picosecond, times FabricExpectedTrains::RATE_ONE
    };

    void Compute(int64_t now);
    bool IsShortUntilTouched() const;
    bool HoldsClaim() const;
    bool MayConcernTrains() const;
    uint64_t CountWaiting() const;
    Bound FindBound(int64_t now) const;
    int64_t ComputeDelay(int64_t now) const;
    uint64_t CountControlFrames() const;
    void RenewTrains(int64_t now, const Bound& bound);
    bool IsShortAgain(int64_t now, const Bound& bound) const;
    void RenewClaim(int64_t now, const Bound& bound);

    FabricPort& m_link;
    const FabricLinkTimes& m_times; ///< of m_link
    FabricOutput& m_output;
    FabricPortTrains& m_trains;
    bool m_isNeeded = false;
    bool m_hasPriorities = false; ///< of data, more than one
    uint64_t m_mostFrames = ANY;  ///< that may wait while no action does anything
    uint64_t m_claimed = 0;       ///< of the memory of the node, in frames
    uint64_t m_claimSlack = 0;    ///< that it may claim more than it needs
    int64_t m_horizon = NEVER;
};

} // namespace ns3

#endif /* FABRIC_CALM_BOUND_H */
