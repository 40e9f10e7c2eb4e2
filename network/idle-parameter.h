// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

namespace nadi
{

/// A parameter of a topology that changes nothing, as the others are.
struct IdleParameter
{
    std::string name; ///< of a link its whole mapping: "pcie"
    std::string why;  ///< a clause: "each NPU has a NIC of its own"
    /// What it asks for is there, but no message between NPUs comes to it. Those of memories and of
    /// switches that compute may, and others where links are down.
    bool isUnreached = false;
    bool isAsked = false; ///< it has no default, and asks for something

    bool operator==(const IdleParameter&) const = default;
};

} // namespace nadi
