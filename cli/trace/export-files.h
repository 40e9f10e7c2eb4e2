// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/trace/export-formats.h"

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace nadi
{

/// Writes what `make` says of each rank: of one rank into the file `out`; of several into the
/// directory `out`, which has to be absent or empty, as `<name>.<rank>.<extension>`. Returns the
/// files. Throws UsageError for what cannot be written.
std::vector<std::string> WriteRankFiles(const ExportRequest& request,
                                        const std::string& extension,
                                        const std::function<std::string(uint32_t rank)>& make);

/// Writes one file by `fill`. Throws UsageError when it cannot be written.
void WriteExportFile(const std::string& path, const std::function<void(std::ostream&)>& fill);

} // namespace nadi
