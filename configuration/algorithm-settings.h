// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "configuration/field.h"

#include <string>
#include <vector>

namespace nadi
{

/// `system.collectives`: a key for each type (MakeAlgorithmSettingCodec). Written: the resolved
/// choice for every type.
Field MakeAlgorithmsField(SystemConfig& system);

/// Completes `system.options.algorithms` for a logical stack of `shapes`, innermost first; those of
/// a topology without dimensions are ROUTES.
///
/// Throws ConfigError when a list is not as long as the stack.
void ResolveAlgorithms(SystemConfig& system, const std::vector<ComponentChoice>& shapes);

} // namespace nadi
