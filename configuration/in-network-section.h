// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "configuration/field.h"

namespace nadi
{

/// `network.in-network`: which switches compute, and what that costs.
Field MakeInNetworkField(NetworkConfig& network);

} // namespace nadi
