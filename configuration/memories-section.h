// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "configuration/field.h"

namespace nadi
{

/// `network.memories`: memories that hang on NPUs and switches.
Field MakeMemoriesField(NetworkConfig& network);

} // namespace nadi
