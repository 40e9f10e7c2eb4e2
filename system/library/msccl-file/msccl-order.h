// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/msccl-file/msccl-messages.h"

#include <vector>

namespace nadi
{

/// All steps, each after the one before it in its thread block, after the one that it waits for,
/// and after the one whose message it receives. The order depends on the algorithm alone.
///
/// Throws ConfigError at the line of a step that waits for one that does not exist, or for itself
/// through others, so that the algorithm would never end.
std::vector<MscclGlobalStep> OrderMscclSteps(const MscclAlgorithm& algorithm,
                                             const std::vector<MscclMessage>& messages);

} // namespace nadi
