// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "system/collective-type.h"

#include <compare>
#include <cstdint>
#include <optional>

namespace nadi
{

/// What a rank communicates: collectives of one type on one communicator, or messages between it
/// and single ranks, all together.
struct CommunicationKind
{
    std::optional<CollectiveType> collective; ///< none: point-to-point
    CommunicatorId communicator;              ///< of the collective

    auto operator<=>(const CommunicationKind&) const = default;
};

/// What one rank did of one kind (docs/semantics.md 8).
///
/// Holds: exposed <= inProgress; where kinds overlap, the moment counts for each of them.
/// Over all kinds of a rank, `inProgressOnce` and `exposedOnce` add up to its communication and to
/// its exposed communication (RankMetrics).
struct CommunicationTotal
{
    CommunicationKind kind;
    uint64_t calls = 0;
    Bytes size;         ///< of all calls
    SimTime inProgress; ///< union of the calls
    SimTime exposed;    ///< the part of it outside compute
    /// The part of `inProgress` in which no other kind has been in progress for longer.
    SimTime inProgressOnce;
    SimTime exposedOnce; ///< the part of that outside compute
};

} // namespace nadi
