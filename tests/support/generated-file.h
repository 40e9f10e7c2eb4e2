// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "tests/support/scratch-directory.h"
#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace nadi::test
{

/// Holds a file of the project, which is generated, against what it should be. With
/// NADI_UPDATE_DOCS=1 in the environment it is written instead.
inline void
CheckGeneratedFile(const std::string& name, const std::string& expected)
{
    const std::filesystem::path file = std::filesystem::path(SOURCE_DIR) / name;
    if (std::getenv("NADI_UPDATE_DOCS") != nullptr)
    {
        std::ofstream(file, std::ios::binary) << expected;
    }
    INFO("run this test with NADI_UPDATE_DOCS=1 to write " << name << " anew");
    CHECK(ReadWholeFile(file) == expected);
}

} // namespace nadi::test
