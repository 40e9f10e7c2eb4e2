// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/codec.h"
#include "configuration/config.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace nadi
{

/// `workload.placement`: a word, {snake: [...]}, a list of NPUs, or {file: PATH}.
Codec<PlacementChoice> MakePlacementCodec();

/// NPUs, each of them once.
Codec<std::vector<uint32_t>> MakeNpusCodec();

/// The list of NPUs that a file of `workload.placement` is: YAML, by rank. Throws ConfigError: the
/// file cannot be read (at `where`, the place that names it), is no list of numbers, or names an
/// NPU twice.
NpuList ReadPlacementFile(const std::filesystem::path& file, const std::string& where);

} // namespace nadi
