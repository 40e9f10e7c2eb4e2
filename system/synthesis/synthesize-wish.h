// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/component.h"
#include "system/message-programs/program-maker.h"
#include "system/synthesis/synthesis.h"

#include <cstdint>
#include <optional>

namespace nadi
{

/// What no program for a wish can beat on its network.
struct WireBound
{
    SimTime time; ///< of the cuts (system/fabric-limits.h), with the headers of full frames
    /// CountTrees: chunk counts for each shard that are multiples of it can meet the bound; of
    /// all-gathers and reduce-scatters.
    std::optional<uint32_t> trees = std::nullopt;
};

/// None: none is known, or finding it would take too long.
std::optional<WireBound> FindWireBound(const ProgramSurroundings& surroundings,
                                       const ProgramWish& wish);

/// Synthesize for a wish, up to its bound; `options.bound` is not read. The program is proven.
SynthesisResult SynthesizeWish(const ProgramSurroundings& surroundings,
                               const ProgramWish& wish,
                               SynthesisOptions options);

/// The parameters of the algorithm `synthesized`. Requires: that is the choice.
SynthesisOptions ReadSynthesisOptions(const ComponentChoice& choice);

} // namespace nadi
