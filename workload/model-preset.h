// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <map>
#include <string>
#include <vector>

namespace nadi
{

/// The published figures of one model, as parameters of a WorkloadModel: everything that the
/// architecture fixes, nothing that the job chooses (parallelism, batch).
struct ModelPreset
{
    std::string name;
    std::string model;
    std::string help; ///< what it is, and the public source of its figures
    std::map<std::string, std::string> parameters;
};

/// In alphabetical order of their names.
const std::vector<ModelPreset>& AllModelPresets();

/// Of one model, in alphabetical order.
std::vector<std::string> PresetsOf(const std::string& model);

/// The preset, or nullptr.
const ModelPreset* FindModelPreset(const std::string& name);

} // namespace nadi
