// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/kernel-times-file.h"

#include "common/error.h"
#include "configuration/kernel-models-file.h"

#include <fmt/format.h>

#include <filesystem>

namespace nadi
{

KernelTimes
ReadKernelTimes(const std::string& file, const std::string& where)
{
    const std::string extension = std::filesystem::path(file).extension().string();
    if (extension == ".csv")
    {
        return {.table = KernelTable::Read(file)};
    }
    if (extension == ".yaml" || extension == ".yml")
    {
        return {.models = ReadKernelModels(file, where)};
    }
    throw ConfigError(where,
                      fmt::format("\"{}\" is neither a table of measured kernels (.csv) nor "
                                  "models of nadi trace fit (.yaml)",
                                  file));
}

} // namespace nadi
