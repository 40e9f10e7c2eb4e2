// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/terminal/style.h"
#include "network/topology.h"
#include "simulation/run-results.h"

#include <string>

namespace nadi
{

/// What the mechanisms of the network did: a line for each that acted, and where the most of it
/// was. Empty when none did.
std::string
DescribeMechanisms(const RunResults& results, const Topology& topology, const Style& style);

} // namespace nadi
