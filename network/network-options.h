// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// How the packet network works; `network.packet` of the configuration. Mechanisms that are not
/// built yet have no field here: the configuration refuses any value but their default.
struct PacketOptions
{
    Bytes payload{4096};    ///< of a full frame; > 0
    Bytes header{64};       ///< added to every data frame on the wire; 0 is allowed
    Bytes controlFrame{64}; ///< whole wire size of an acknowledgement; > 0
    /// Data frames per acknowledgement; the last frame of a message is always acknowledged.
    /// None: one per message.
    std::optional<uint32_t> framesPerAcknowledgement;
    SimTime switchLatency; ///< between a frame's arrival at a switch and its queueing
    uint64_t seed = 1;
    /// Executes the events of one instant in an order scrambled by this number; no result may
    /// change. A test mode; none: in order of scheduling.
    std::optional<uint64_t> scrambleSeed;
};

} // namespace nadi
