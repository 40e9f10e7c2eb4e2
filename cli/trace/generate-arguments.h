// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/trace/model-arguments.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What `nadi trace generate` was given.
struct GenerateArguments
{
    ModelArguments model{.command = "nadi trace generate"};
    std::vector<std::string> like; ///< TRACES; without them a model is generated
    std::string groups;            ///< a file, with `like`
    std::optional<uint32_t> seed;  ///< with `like`
    std::string out;
};

/// Writes traces that have the statistics of recorded ones, and prints how near they come.
///
/// Throws UsageError for arguments that belong to models, and ConfigError for traces that cannot be
/// read or whose calls do not match.
void GenerateLike(const GenerateArguments& arguments);

} // namespace nadi
