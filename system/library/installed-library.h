// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dimension.h"
#include "network/node-hardware.h"
#include "network/rank-placement.h"
#include "system/communicator.h"
#include "system/in-network/tree-table.h"
#include "system/library/collective-program.h"
#include "system/library/protocol.h"
#include "system/system-options.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// What a library may know of the system that it runs on.
struct LibrarySurroundings
{
    const SystemOptions& options;
    const std::vector<Dimension>& stack; ///< the logical stack, innermost first
    /// Of a network whose NPUs stand in nodes.
    std::optional<NodeHardware> nodes = std::nullopt;
    double payloadShare = 1;      ///< of a full frame on the wire; headers have the rest
    RankPlacement placement = {}; ///< which NPU hosts which rank
    TreeTable* trees = nullptr;   ///< null: no switch computes
};

/// A communication library on the ranks of one simulation: decides how collectives run, and what
/// they and the messages between two ranks cost beyond the network.
///
/// The engines of collectives and of messages between two ranks know libraries by this interface
/// only. What it returns by pointer or reference lives as long as the library.
class InstalledLibrary
{
  public:
    virtual ~InstalledLibrary() = default;

    /// Over what a collective runs whose members all bring one size. Uneven ones are flat.
    virtual LayoutKind LayoutFor(CollectiveType type) const = 0;

    /// A number that communicators share whose programs may be the same as far as the library is
    /// concerned; those that do not lie alike over the dimensions differ anyway. A library whose
    /// plans look at the places of single ranks numbers these.
    virtual uint32_t PlaceOf(const Communicator& /*communicator*/)
    {
        return 0;
    }

    /// How to run a collective. A function of the request, whose layout counts as its dimensions
    /// and PlaceOf; asked once for equal ones. Requires: the layout is that of LayoutFor, or flat.
    virtual CollectiveProgram MakeProgram(const ProgramRequest& request) = 0;

    /// Of the messages between two ranks.
    virtual const Protocol& PointToPointProtocol() const = 0;
};

} // namespace nadi
