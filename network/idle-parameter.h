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

    bool operator==(const IdleParameter&) const = default;
};

} // namespace nadi
