// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"

namespace nadi
{

/// Throws ConfigError where `system.collectives` names an algorithm in which switches help, and no
/// switch computes, or a dimension of the stack that it is to run in has none.
/// Requires: the algorithms are resolved.
void CheckTreeAlgorithms(const Config& config, const std::vector<Dimension>& stack);

} // namespace nadi
