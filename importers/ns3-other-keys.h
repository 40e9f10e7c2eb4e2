// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "importers/import-draft.h"

#include <string>
#include <vector>

namespace nadi
{

/// Keys of the ns-3 backend that set nothing: they say what Nadi does anyway, or have no
/// counterpart.
const std::vector<std::string>& Ns3OtherKeys();

/// Tells what one of them says. Throws ConfigError for a flag that is none.
void ImportNs3OtherKey(const ConfigNode& node, ImportDraft& draft);

} // namespace nadi
