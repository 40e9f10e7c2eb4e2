// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>
#include <vector>

namespace nadi::nccl
{

/// A line of a preset of configs/libraries.
struct PresetRow
{
    const char* preset;      ///< "gpu-h100", "net-ib", "msccl-ll"
    const char* key;         ///< "hop-ll"
    const char* value;       ///< "0.9 us"
    const char* explanation; ///< what it is, and where it is from
};

/// All of them, by preset. Generated from the files at build time.
const std::vector<PresetRow>& PresetRows();

} // namespace nadi::nccl
