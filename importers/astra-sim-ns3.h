// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "importers/import-draft.h"
#include "importers/ns3-topology.h"

namespace nadi
{

/// Maps the configuration of ASTRA-sim's ns-3 backend (see ReadNs3ConfigFile) to `network.packet`,
/// `network.faults` and `output`. Keys that are absent have the source's defaults where they
/// matter.
///
/// Throws ConfigError.
void ImportNs3Config(const ConfigNode& root, const Ns3Topology& topology, ImportDraft& draft);

} // namespace nadi
