// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/explicit-topology.h"

#include <filesystem>
#include <string>

namespace nadi
{

/// Reads a topology file: `nodes: {npus, switches}` and `links: [{from, to, bandwidth, latency,
/// count, direction}]`. `where` is the place that names the file.
///
/// Throws ConfigError for what is wrong in the text; what is wrong with the graph is found when it
/// is built (MakeExplicitTopology).
ExplicitTopology ReadTopologyFile(const std::filesystem::path& file, const std::string& where);

} // namespace nadi
