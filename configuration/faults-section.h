// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "configuration/field.h"

namespace nadi
{

/// The key `network.faults`: a list of {at, until, link, state or loss or bandwidth}. The names of
/// links are looked up later, when the topology is there.
Field MakeFaultsField(NetworkConfig& network);

} // namespace nadi
