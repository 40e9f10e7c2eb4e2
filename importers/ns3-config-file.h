// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "importers/import-values.h"

#include <filesystem>

namespace nadi
{

/// Whether the file is a configuration of ASTRA-sim's ns-3 backend, in one of its two forms: lines
/// of `KEY value...`, or JSON. Throws ConfigError where it cannot be read.
bool IsNs3ConfigFile(const std::filesystem::path& file);

/// Reads either form.
///
/// Holds: the root is a map of the keys that the lines have (those of JSON are renamed: `cc_mode`
/// is CC_MODE); several values are a list, a map of JSON is [count, key, value, ...]. Each value
/// has its line. Throws ConfigError for a key given twice.
ImportFile ReadNs3ConfigFile(const std::filesystem::path& file);

} // namespace nadi
