// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "system/message-programs/file-program.h"

namespace nadi
{

/// Reads the files of collective algorithms that `system.collectives` names (`from`), and proves
/// them. Throws ConfigError at the file for one that cannot be read, or breaks its promise.
FilePrograms ReadFilePrograms(const Config& config);

} // namespace nadi
