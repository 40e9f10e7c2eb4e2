// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/communicator.h"
#include "system/execution/rendezvous.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace nadi
{

/// Who may run: at most `limit` collectives at a time on a rank, of those that all members reached
/// (docs/semantics.md 2).
///
/// Slots are granted for all members at once, in order of (last arrival, communicator, call): one
/// that waits keeps a place on each of its members, so that none that came later makes it wait
/// longer. A group of one takes no time and no slot.
///
/// Example with a limit of 1: A runs on the ranks {0, 1}. B, on {1, 2}, came next and waits for
/// rank 1. C, on {2, 3}, came last and would fit, but B has reserved rank 2, so C waits. When A
/// ends on rank 1, B gets its slots. Without the reservation a stream of collectives like C could
/// hold up B for ever.
class CollectiveSlots
{
  public:
    /// `limit` 0: any number.
    CollectiveSlots(uint32_t limit, uint32_t ranks);

    /// All members of a collective have arrived, the last one at `lastArrival`.
    /// `communicator` outlives the wait.
    void Add(CollectiveId id, SimTime lastArrival, const Communicator& communicator);

    /// Takes a slot on all members of each collective that may run now, and returns them in order.
    /// Cost: no more waiting ones are looked at than it takes to fill every rank.
    std::vector<CollectiveId> Grant();

    /// Whether a collective ever waited for a slot.
    bool HasLimited() const
    {
        return m_hasLimited;
    }

    /// A member is done. Returns whether someone may have waited for its slot.
    bool Release(const Communicator& communicator, RankId rank);

  private:
    using Place = std::tuple<SimTime, CollectiveId>;

    bool HasRoom() const
    {
        return m_fullRanks < m_used.size();
    }

    bool HoldsSlots(const Communicator& communicator) const
    {
        return m_limit > 0 && communicator.ranks.size() > 1;
    }

    bool Fits(const Communicator& communicator) const;
    void Take(const Communicator& communicator, std::vector<uint32_t>& counts);
    void DropReservations();

    uint32_t m_limit;
    std::vector<uint32_t> m_used;     // by rank
    std::vector<uint32_t> m_reserved; // by rank, for earlier ones that wait; zero between grants
    uint32_t m_fullRanks = 0;         // without a slot that is neither used nor reserved
    bool m_hasLimited = false;
    std::map<Place, const Communicator*> m_waiting; // for slots
    std::vector<Place> m_free;                      // that need none and are not granted yet
};

} // namespace nadi
