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

/// Completes `system.options.algorithms` for the logical stack (FindStackShapes).
///
/// Throws ConfigError: a list that is not as long as the stack; an all-reduce that must scatter and
/// gather along a dimension where its algorithm cannot.
void ResolveAlgorithms(Config& config);

/// The shapes of the logical stack, by which algorithms are chosen where nobody says them: those of
/// the network's dimensions, else FindNodeShapes; ROUTES for `system.dimensions`, but for a first
/// dimension within nodes, and where the ranks are one list.
std::vector<ComponentChoice> FindStackShapes(const Config& config);

} // namespace nadi
