// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/network-options.h"
#include "network/routing.h"
#include "network/topology.h"
#include "system/collective-type.h"
#include "system/message-programs/file-program.h"
#include "system/message-programs/program-store.h"
#include "system/message-programs/program-wish.h"
#include "system/message-programs/stored-program.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// What a maker of programs may know of the system that they will run on.
struct ProgramSurroundings
{
    const Topology& topology;
    const Routing& routing;
    const PacketOptions& packet; ///< payload, header, latency of switches, how ways are picked
    SimTime endpointDelay{};
    std::optional<Bandwidth> reductionBandwidth = std::nullopt; ///< none: reductions take no time
    const FilePrograms* files = nullptr; ///< those that the configuration names; null: none
    /// Sizes of the logical dimensions, innermost first, if ranks fill them in order.
    std::vector<uint32_t> stack = {};
    /// Where programs are kept that take long to make; none: nowhere.
    std::optional<ProgramDirectory> directory = std::nullopt;
};

/// Makes stored programs for collectives of single groups of ranks.
class ProgramMaker
{
  public:
    virtual ~ProgramMaker() = default;

    /// Wishes that differ in their size only share a program if they have equal classes.
    virtual uint64_t SizeClass(const ProgramSurroundings& surroundings,
                               const ProgramWish& wish) const = 0;

    /// The wish without its communicator where the program does not depend on it.
    virtual ProgramWish Simplify(const ProgramSurroundings& /*surroundings*/,
                                 const ProgramWish& wish) const
    {
        ProgramWish simple = wish;
        simple.communicator.reset();
        return simple;
    }

    /// A function of its arguments: the same for a wish and for what Simplify makes of it. Throws
    /// ConfigError where there is no such program.
    virtual StoredProgram Make(const ProgramSurroundings& surroundings,
                               const ProgramWish& wish) const = 0;
};

} // namespace nadi
