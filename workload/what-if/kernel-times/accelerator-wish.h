// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <optional>

namespace nadi
{

/// The rates of another accelerator; what is absent is as recorded. At least one is there.
struct AcceleratorWish
{
    std::optional<FlopRate> peak = std::nullopt;
    std::optional<Bandwidth> memoryBandwidth = std::nullopt;

    bool operator==(const AcceleratorWish&) const = default;
};

} // namespace nadi
