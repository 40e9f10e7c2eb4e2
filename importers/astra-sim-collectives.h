// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "importers/astra-sim-network.h"
#include "importers/astra-sim-windows.h"
#include "importers/import-draft.h"
#include "system/collective-type.h"

#include <map>
#include <string>

namespace nadi
{

/// The keys that name algorithms, such as `all-reduce-implementation`.
const std::map<std::string, CollectiveType>& AstraSimImplementationKeys();

/// Maps such a key: a list of one algorithm for each dimension; 1.x joins them with "_". Where an
/// algorithm does not exist here for that collective, the default stays, and the draft says so.
/// Windows of direct algorithms go to `windows`, which refers to `node`.
///
/// Throws ConfigError for an algorithm that is not known and for too short a list.
void ImportAstraSimAlgorithms(const ConfigNode& node,
                              const ImportedNetwork& network,
                              AstraSimWindows& windows,
                              ImportDraft& draft);

/// Maps `<type>-implementation-custom`, a list of one prefix of traces, to `from`. There, it covers
/// all dimensions and comes before the native algorithm; the path is relative to where the source
/// is started, here to the configuration.
///
/// Throws ConfigError for another number of prefixes.
void ImportAstraSimFiles(const ConfigNode& node, CollectiveType type, ImportDraft& draft);

} // namespace nadi
