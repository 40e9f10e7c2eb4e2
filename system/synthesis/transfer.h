// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <vector>

namespace nadi::synthesis
{

/// One message of a schedule: a chunk goes over a way.
struct Transfer
{
    uint32_t way = 0;
    uint32_t chunk : 31;  ///< below 2^31
    uint32_t reduces : 1; ///< whether the receiver adds it to what it has

    bool operator==(const Transfer&) const = default;
};

/// A message whose chunk replaces what the receiver has in its place.
inline Transfer
MakeCopy(uint32_t way, uint32_t chunk)
{
    return {.way = way, .chunk = chunk & 0x7fff'ffffU, .reduces = 0};
}

/// A message whose chunk is added to what the receiver has.
inline Transfer
MakeReduction(uint32_t way, uint32_t chunk)
{
    return {.way = way, .chunk = chunk & 0x7fff'ffffU, .reduces = 1};
}

static_assert(sizeof(Transfer) == 8, "schedules of thousands of ranks have tens of millions");

/// Messages in an order in which they may start.
///
/// Holds: the messages of one way start in this order; what a message carries has come to its
/// sender by messages before it.
using Schedule = std::vector<Transfer>;

} // namespace nadi::synthesis
