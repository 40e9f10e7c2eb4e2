// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PRIVATE_TIME_H
#define FABRIC_PRIVATE_TIME_H

#include "fabric-event-queue.h"

#include <cstdint>

namespace ns3
{

class Fabric;

/// \ingroup fabric
/// A clock of its own for a part of a fabric that has slept since some time of the past.
///
/// A part at rest does nothing, so it need not be simulated while what it would do is known. When
/// it is no longer known, what entered the part since is given to it again, at the times at which
/// it entered, while this clock stands in for that of the simulator. In the end the part is in the
/// state in which it would be had it never slept, and its pending events go to the simulator.
///
/// While it lives, FabricNow() and all FabricEvents are those of this clock. So only one exists at
/// a time, no event that is pending with the simulator may be touched, and ns-3's own Simulator
/// must not be used.
///
/// Requires: ns-3's simulator is a FabricSimulatorImpl. The present instant has no more arrivals.
class FabricPrivateTime
{
  public:
    /// The clock stands at `begin`, which is not ahead of the simulator's.
    FabricPrivateTime(Fabric& fabric, int64_t begin);

    /// The clock has come to that of the simulator. What is pending goes there.
    ~FabricPrivateTime();

    FabricPrivateTime(const FabricPrivateTime&) = delete;
    FabricPrivateTime& operator=(const FabricPrivateTime&) = delete;

    /// Executes everything up to `time`, that instant included, and stands there then.
    /// Requires: `time` is neither past here nor ahead of the simulator's clock.
    void RunUntil(int64_t time);

    /// The time of what is next; the largest number: nothing is pending.
    int64_t PeekNextTime() const
    {
        return m_queue.PeekNextTime();
    }

  private:
    /// Moves the clock to its time, and does nothing.
    struct Mark final : FabricQueuedEvent
    {
        void Execute() override
        {
        }
    };

    FabricEventQueue& m_simulators;
    FabricEventQueue m_queue;
    Mark m_mark;
};

} // namespace ns3

#endif /* FABRIC_PRIVATE_TIME_H */
