// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What `nadi trace generate` was given.
struct GenerateArguments
{
    std::string model;
    std::vector<std::string> parameters; ///< key=value
    std::vector<std::string> like;       ///< TRACES; without them a model is generated
    std::string groups;                  ///< a file, with `like`
    std::optional<uint32_t> seed;        ///< with `like`
    std::optional<uint32_t> ranks;
    std::vector<uint32_t> dimensions;
    std::string out;
};

/// Writes traces that have the statistics of recorded ones, and prints how near they come.
///
/// Throws UsageError for arguments that belong to models, and ConfigError for traces that cannot be
/// read or whose calls do not match.
void GenerateLike(const GenerateArguments& arguments);

} // namespace nadi
