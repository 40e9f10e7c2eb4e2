// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "importers/astra-sim-import.h"
#include "importers/astra-sim-network.h"
#include "importers/import-draft.h"

#include <filesystem>
#include <optional>

namespace nadi
{

/// Maps what the ns-3 backend reads: its configuration, the topology file that it names, and the
/// logical topology, without which there is no counterpart. `file`: where the configuration will
/// stand. The topology file to be written goes to `topology`.
///
/// Holds: the result's dimensions have no shape. Throws ConfigError.
ImportedNetwork ImportNs3Inputs(const AstraSimInputs& inputs,
                                const std::filesystem::path& file,
                                std::optional<ImportedFile>& topology,
                                ImportDraft& draft);

} // namespace nadi
