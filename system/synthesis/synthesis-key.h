// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/program-maker.h"
#include "system/message-programs/program-store.h"
#include "system/synthesis/synthesis.h"

namespace nadi
{

/// A name for all that SynthesizeWish depends on: the network, what messages cost, the wish and the
/// options. `options.bound` and `options.trees` follow from these and are not read.
StoreKey MakeSynthesisKey(const ProgramSurroundings& surroundings,
                          const ProgramWish& wish,
                          const SynthesisOptions& options);

} // namespace nadi
