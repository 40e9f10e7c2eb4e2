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

/// Completes `system.options.algorithms` for a logical stack of `shapes`, innermost first
/// (FindStackShapes).
///
/// Throws ConfigError when a list is not as long as the stack.
void ResolveAlgorithms(SystemConfig& system, const std::vector<ComponentChoice>& shapes);

/// The shapes of the logical stack, by which algorithms are chosen where nobody says them: those of
/// the network's dimensions, else FindNodeShapes; ROUTES for `system.dimensions`, but for a first
/// dimension within nodes, and where the ranks are one list.
std::vector<ComponentChoice> FindStackShapes(const Config& config);

} // namespace nadi
