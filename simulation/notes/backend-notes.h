// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"

#include <string>
#include <vector>

namespace nadi
{

/// Settings of the packet network that the chosen backend does not heed: one sentence that names
/// all those that are not at their defaults, so that a configuration can be run with each backend.
/// With the packet network, what switches its memo off.
std::vector<std::string> FindBackendNotes(const Config& config);

} // namespace nadi
