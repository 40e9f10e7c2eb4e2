// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/parameters.h"
#include "system/library/nccl/choice.h"
#include "system/library/nccl/cost-context.h"
#include "system/library/nccl/cost-parameters.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi::nccl
{

/// What `system.library` says of an NCCL-like library.
struct NcclSettings
{
    PresetNames presets;
    Release release;
    KernelWish wish;
    Launch launch = Launch::ProcessPerGpu;
    Calls calls = Calls::Single;
    NicPath nicPath = NicPath::PcieSwitch;
    bool isAmdProcessor = false;
    bool isBlocking = false;
    std::optional<bool> pxn; ///< none: as the network and the release have it
    uint32_t leastChannels = 0;
    uint32_t messages = 0; ///< the most that one collective sends
    CostParameters costs;
};

/// Those of all generations, for `preset`.
std::vector<std::string> PresetsOfGpus();

/// The keys, with `preset` at `defaultPreset`, one of the `presets` that the library has.
std::vector<ParameterSpec> NcclSpecs(const std::string& defaultPreset,
                                     std::vector<std::string> presets = PresetsOfGpus());

/// Throws ConfigError with the name of the key at fault as its place.
NcclSettings ReadNcclSettings(const Parameters& values);

} // namespace nadi::nccl
