// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"

#include <filesystem>
#include <string>
#include <vector>

namespace nadi
{

/// Reads and checks a configuration: `file` with what it includes, `settings` (`key.path=value`)
/// over it, defaults for the rest. Throws ConfigError.
Config ReadConfig(const std::filesystem::path& file, const std::vector<std::string>& settings);

/// The whole effective configuration as YAML.
///
/// Holds: reading it again gives an equal Config, and writing that gives the same text.
std::string WriteConfig(const Config& config);

/// The JSON Schema (draft 2020-12) of a configuration file, for editors.
std::string MakeConfigSchema();

} // namespace nadi
