// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "importers/ns3-topology.h"

#include <filesystem>
#include <string>

namespace nadi
{

/// Reads `nodes switches links`, the ids of the switches, then a line for each link: `source
/// destination rate delay error-rate`. `where`: the place that names the file.
///
/// Throws ConfigError: counts that the lines do not have, ids out of range, values that are none, a
/// node without link, nodes that no path joins, a topology of SimAI's.
Ns3Topology ReadNs3Topology(const std::filesystem::path& file, const std::string& where);

} // namespace nadi
