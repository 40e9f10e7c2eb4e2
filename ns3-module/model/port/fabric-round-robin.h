// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_ROUND_ROBIN_H
#define FABRIC_ROUND_ROBIN_H

#include "ns3/fabric-queue-pair.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// The queue pairs of a NIC port that have frames to send; those whose rate allows a start take
/// turns frame by frame, in the order of GetTurn() after the one served last, whether or not that
/// one still has frames.
///
/// Holds: m_active is sorted by turn, each of its queue pairs has a frame, and m_next is the number
/// of those whose turn is at most the one served last.
///
/// Example: the turns 2, 5 and 9 are active, and 5 was served last, so m_next = 2, and 9 is next.
/// Turn 3 joins: it lies before the one served last, so m_next = 3, and 9 is still next, not 3.
/// Then 5 runs out and leaves: m_next = 2. When the port has been idle (FabricOutput), the turns
/// begin anew, with the lowest. An order by time of joining would depend on the order of
/// calls within an instant; the order of turns does not.
class FabricRoundRobin
{
  public:
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    bool IsEmpty() const
    {
        return m_active.empty();
    }

    /// Lets `queuePair` take part while it has a frame, and no longer. Requires: it outlives its
    /// turns. \return Whether that changes who takes part, or when its frames start, or its frames
    /// cannot be in trains.
    bool Update(FabricQueuePair& queuePair);

    /// Lets it take part no more; no effect if it does not.
    void Remove(const FabricQueuePair& queuePair);

    /// The first time >= `from` at which one of them may start; NEVER if there is none.
    int64_t FindStart(int64_t from) const
    {
        if (m_active.empty())
        {
            return NEVER;
        }
        return m_isPaced ? FindPacedStart(from) : from;
    }

    std::size_t GetSize() const
    {
        return m_active.size();
    }

    /// Whether the rate of one of them can delay its start.
    bool IsPaced() const
    {
        return m_isPaced;
    }

    /// The queue pair that comes `turns` turns after the next while all have frames.
    /// Requires: turns < GetSize(), !IsPaced().
    FabricQueuePair& Get(std::size_t turns) const
    {
        const std::size_t index = (m_next < m_active.size() ? m_next : 0) + turns;
        return *m_active[index < m_active.size() ? index : index - m_active.size()];
    }

    /// How many turns after the next the queue pair has its own; GetSize(): it takes no part.
    std::size_t FindTurnOf(const FabricQueuePair& queuePair) const;

    /// How many frames start from now on before the first that ends its message, if who takes part
    /// stays. All of them are full, and can be parts of trains. Requires: !IsEmpty(), !IsPaced().
    ///
    /// The answer is kept until that frame has started, or a queue pair joins or leaves. The walk
    /// over the queue pairs stops at the first end that it finds. So it takes no more steps than
    /// frames start until the next walk, unless somebody joins or leaves.
    uint64_t CountFullSlots();

    /// How many frames have started so far: the number of the next slot.
    uint64_t GetServed() const
    {
        return m_served;
    }

    /// How many steps the walks of CountFullSlots took so far.
    uint64_t GetNSteps() const
    {
        return m_steps;
    }

    /// Turns begin anew: who was served last counts no more. Requires: IsEmpty().
    void ForgetTurns()
    {
        m_next = 0;
        m_hasServed = false;
        m_isPaced = false;
    }

    /// Starts `count` frames of the only queue pair, the last of them at `lastStart`.
    /// Requires: GetSize() == 1, its message has more frames, it starts them as FindPace() says.
    void TakeTrain(uint64_t count, int64_t lastStart);

    /// Who is next at `start`. Requires: FindStart(start) == start.
    const FabricQueuePair& Peek(int64_t start) const
    {
        return *m_active[FindTurn(start)];
    }

    /// Starts the frame of the next in turn. Requires: as Peek.
    FabricFrame Take(int64_t start);

  private:
    std::vector<FabricQueuePair*>::const_iterator FindPlace(const FabricQueuePair& queuePair) const;
    int64_t FindPacedStart(int64_t from) const;
    std::size_t FindTurn(int64_t start) const;
    void RemoveAt(std::size_t index);
    bool EndTrains(const FabricQueuePair& queuePair);
    uint64_t WalkFullSlots();

    std::vector<FabricQueuePair*> m_active;
    std::size_t m_next = 0;
    FabricQueuePairKey m_lastServed; ///< meaningful once m_hasServed
    bool m_hasServed = false;
    bool m_isPaced = false; ///< whether any of them was since turns began
    uint64_t m_served = 0;
    uint64_t m_fullEnd = 0; ///< the slot in which the first message ends; below m_served: unknown
    uint64_t m_steps = 0;
};

} // namespace ns3

#endif /* FABRIC_ROUND_ROBIN_H */
