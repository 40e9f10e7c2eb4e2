// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/component.h"
#include "system/message-programs/program-maker.h"
#include "system/synthesis/synthesis.h"

#include <optional>

namespace nadi
{

/// What no program for the wish can beat on its network: the cuts' bound (system/fabric-limits.h)
/// with the headers of full frames. None: none is known, or finding it would take too long.
std::optional<SimTime> FindWireBound(const ProgramSurroundings& surroundings,
                                     const ProgramWish& wish);

/// Synthesize for a wish, up to its bound; `options.bound` is not read. The program is proven.
SynthesisResult SynthesizeWish(const ProgramSurroundings& surroundings,
                               const ProgramWish& wish,
                               SynthesisOptions options);

/// The parameters of the algorithm `synthesized`. Requires: that is the choice.
SynthesisOptions ReadSynthesisOptions(const ComponentChoice& choice);

} // namespace nadi
