// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/in-network/place-table.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// For trees on switches.
struct PlaceRules
{
    uint32_t capacity = 0;    ///< trees at a place; 0: any number
    bool areOptional = false; ///< who finds none runs without switches, and does not wait
};

/// How many trees use each place on switches now, and for how many it is reserved.
class PlaceCounts
{
  public:
    /// `capacity` 0: any number.
    explicit PlaceCounts(uint32_t capacity)
        : m_capacity(capacity)
    {
    }

    bool Fit(const std::vector<PlaceUse>& uses) const;
    void Take(const std::vector<PlaceUse>& uses);

    /// Until DropReservations.
    void Reserve(const std::vector<PlaceUse>& uses);
    void DropReservations();

    /// Requires: they were taken.
    void Release(const std::vector<PlaceUse>& uses);

  private:
    struct Place
    {
        uint32_t used = 0;
        uint32_t reserved = 0;
    };

    Place& At(uint32_t place);

    uint32_t m_capacity;
    std::vector<Place> m_places; // those without a use may be missing
};

} // namespace nadi
