// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// How many trees may run on a switch at a time.
struct TreePlaces
{
    enum class Kind : uint8_t
    {
        Unlimited,
        PerSwitch,
        PerPort, ///< trees that use the same port of the switch
    };

    Kind kind = Kind::Unlimited;
    uint32_t count = 0; ///< but for Unlimited

    bool operator==(const TreePlaces&) const = default;
};

/// Switches that compute; `network.in-network` of the configuration.
struct InNetworkOptions
{
    std::optional<std::vector<std::string>> switches; ///< their names, with *; none: all
    SimTime latency;                                  ///< of a switch that computes, for each slice
    std::optional<Bandwidth> bandwidth; ///< at which it reduces what a link brings; none: any
    TreePlaces places;
    /// What a collective does that gets no places for its trees.
    enum class WhenBusy : uint8_t
    {
        Wait,
        Endpoint, ///< it runs without switches
    };

    WhenBusy whenBusy = WhenBusy::Wait;
    std::string where; ///< in the configuration, for errors
};

} // namespace nadi
