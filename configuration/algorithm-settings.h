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

/// Completes `system.options.algorithms` for a logical stack of `shapes`, innermost first; a shape
/// that is empty stands for a dimension of a topology without dimensions.
///
/// Throws ConfigError when a list is not as long as the stack.
void ResolveAlgorithms(SystemConfig& system, const std::vector<std::string>& shapes);

} // namespace nadi
