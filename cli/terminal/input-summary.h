// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"

#include <string>

namespace nadi
{

/// What was read, for people: ranks, nodes by type, groups, topology, links, the longest paths,
/// algorithms, the bounds of collectives, notes.
std::string DescribeInput(const RunInput& input);

} // namespace nadi
