// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "configuration/field.h"

namespace nadi
{

/// `system.memory`: local and remote memory, as the nodes of a trace reach them.
Field MakeMemoryField(SystemConfig& system);

} // namespace nadi
