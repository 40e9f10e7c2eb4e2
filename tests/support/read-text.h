// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config-file.h"
#include "tests/support/scratch-directory.h"

#include <string>
#include <vector>

namespace nadi::test
{

/// The configuration in a file of this text.
inline Config
ReadText(const std::string& yaml, const std::vector<std::string>& settings = {})
{
    const ScratchDirectory scratch("read-text");
    return ReadConfig(scratch.Write("c.yaml", yaml), settings);
}

} // namespace nadi::test
