// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "importers/astra-sim-network.h"
#include "importers/import-draft.h"

namespace nadi
{

/// Maps the system file, of 1.x (lines of `key: value`) and 2.x (JSON) alike. Its numbers count GB
/// and TFLOP of powers of 1000 and cycles of 1 ns. Throws ConfigError for a value that is not
/// valid.
void
ImportAstraSimSystem(const ConfigNode& root, const ImportedNetwork& network, ImportDraft& draft);

} // namespace nadi
