// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "importers/import-draft.h"
#include "importers/ns3-topology.h"

#include <string>
#include <vector>

namespace nadi
{

/// ENABLE_QCN and the three maps of thresholds by link rate.
const std::vector<std::string>& Ns3MarkKeys();

/// Maps them to `network.packet.ecn`. There each port has the thresholds of its rate, here all have
/// those of the rate that most ports of switches have (of two, the lower); where that makes a
/// difference, the draft says for which rates.
///
/// Requires: ENABLE_QCN is there. Throws ConfigError for a map without a rate of the topology, and
/// for thresholds in disorder.
void ImportNs3Marks(const ConfigNode& root, const Ns3Topology& topology, ImportDraft& draft);

} // namespace nadi
