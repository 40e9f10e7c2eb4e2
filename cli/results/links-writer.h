// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/run-results.h"
#include "network/topology.h"

#include <string>

namespace nadi
{

/// `links.csv`: a row per direction of a link, in the order of the topology.
std::string WriteLinks(const RunResults& results, const Topology& topology);

} // namespace nadi
