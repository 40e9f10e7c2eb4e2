// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "tests/support/test-paths.h"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace nadi::test
{

/// The folder of a larger collection of traces, with a slash at its end; empty where there is none.
inline std::string
CollectionFolder()
{
    const char* const named = std::getenv("NADI_SHARED");
    const std::filesystem::path folder =
        (named != nullptr ? std::filesystem::path(named)
                          : std::filesystem::path(SOURCE_DIR) / ".." / "shared") /
        "traces";
    return std::filesystem::is_directory(folder) ? folder.string() + "/" : "";
}

} // namespace nadi::test
