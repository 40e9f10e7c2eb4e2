// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "configuration/field.h"

#include <string>
#include <vector>

namespace nadi
{

/// `system.collectives`: for each type, one algorithm for all dimensions, a list of one for each,
/// or `{flat: <algorithm>}`; an algorithm is a name or `{name: ..., <parameters>}`.
///
/// Throws, while reading: an algorithm that is not registered or does not support the type (with
/// those that would do), an unfit parameter. Written: the resolved choice for every type.
Field MakeAlgorithmsField(SystemConfig& system);

/// Completes `system.options.algorithms` for a logical stack of `shapes`, innermost first; those of
/// a topology without dimensions are ROUTES.
///
/// Throws ConfigError when a list is not as long as the stack.
void ResolveAlgorithms(SystemConfig& system, const std::vector<std::string>& shapes);

} // namespace nadi
