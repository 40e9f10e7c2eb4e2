// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config-node.h"

namespace nadi
{

/// Throws ConfigError where the file that a section is read from is not there: `file` is the value
/// that names it, under the key `section`. The message says which file of that name may be meant,
/// or what stands under the key.
///
/// Looked through are the folders around the configuration and the working directory, as far as
/// they have the layout of `configs/`: `network: hgx-h100` finds `configs/networks/hgx-h100.yaml`.
void RequireSectionFile(const std::string& section, const ConfigNode& file);

} // namespace nadi
