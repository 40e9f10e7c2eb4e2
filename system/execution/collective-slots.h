// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/communicator.h"
#include "system/execution/place-counts.h"
#include "system/execution/rendezvous.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace nadi
{

/// Who may run: at most `limit` collectives at a time on a rank, of those that all members reached
/// (docs/semantics.md 2); and where switches help, no more trees at a time than have places there.
///
/// Slots on all members and places on all switches are granted together, in order of (last arrival,
/// communicator, call); whoever waits holds nothing, so none of them waits for another one that
/// waits. One that waits has its slots and places reserved, so that none that came later makes it
/// wait longer. A group of one takes no time and no slot.
///
/// Example with a limit of 1: A runs on the ranks {0, 1}. B, on {1, 2}, came next and waits for
/// rank 1. C, on {2, 3}, came last and would fit, but B has reserved rank 2, so C waits. When A
/// ends on rank 1, B gets its slots. Without the reservation a stream of collectives like C could
/// hold up B for ever.
class CollectiveSlots
{
  public:
    /// A collective that may run now.
    struct Granted
    {
        CollectiveId id;
        bool hasPlaces = true; ///< on switches, as many as it asked for

        bool operator==(const Granted&) const = default;
    };

    /// `limit` 0: any number.
    CollectiveSlots(uint32_t limit, uint32_t ranks, PlaceRules rules = {});

    /// All members of a collective have arrived, the last one at `lastArrival`; it wants `places`
    /// on switches. `communicator` outlives the wait.
    /// Requires: `places` fit when nobody else has any, or they are optional.
    void Add(CollectiveId id,
             SimTime lastArrival,
             const Communicator& communicator,
             std::vector<PlaceUse> places = {});

    /// Takes slots and places for each collective that may run now, and returns them in order.
    /// Cost: no more waiting ones are looked at than it takes to fill every rank.
    std::vector<Granted> Grant();

    /// Whether a collective ever waited for a slot.
    bool HasLimited() const
    {
        return m_hasLimited;
    }

    /// A member is done. Returns whether someone may have waited for its slot.
    bool Release(const Communicator& communicator, RankId rank);

    /// A collective that was granted places is done on all members. Returns as Release.
    bool ReleasePlaces(const std::vector<PlaceUse>& places);

  private:
    using Turn = std::tuple<SimTime, CollectiveId>;

    struct Demand
    {
        const Communicator* communicator;
        std::vector<PlaceUse> places;
    };

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
    bool GrantOne(const Turn& turn, const Demand& demand);
    void DropReservations();

    uint32_t m_limit;
    std::vector<uint32_t> m_used;     // by rank
    std::vector<uint32_t> m_reserved; // by rank, for earlier ones that wait; zero between grants
    uint32_t m_fullRanks = 0;         // without a slot that is neither used nor reserved
    bool m_hasLimited = false;
    bool m_arePlacesOptional;
    PlaceCounts m_places;
    std::map<Turn, Demand> m_waiting; // for slots or places
    std::vector<Turn> m_free;         // that need none and are not granted yet
    std::map<Turn, bool> m_granted;   // in this grant: whether they have places
};

} // namespace nadi
