// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"

#include <string>
#include <vector>

namespace nadi
{

/// Adds a note where the library is told of a host bridge, and the network gives its NICs more than
/// any was measured to give: the library has no rate for that way.
void NoteHostBridge(const Config& config, std::vector<std::string>& notes);

} // namespace nadi
