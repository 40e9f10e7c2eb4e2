// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "importers/import-draft.h"
#include "importers/ns3-topology.h"

#include <string>
#include <vector>

namespace nadi
{

/// LINK_DOWN and ERROR_RATE_PER_LINK.
const std::vector<std::string>& Ns3FaultKeys();

/// Maps them, and the rates of loss of the topology's links, to `network.faults`: a link's own rate
/// is in the place of the one for all. Throws ConfigError.
void ImportNs3Faults(const ConfigNode& root, const Ns3Topology& topology, ImportDraft& draft);

} // namespace nadi
