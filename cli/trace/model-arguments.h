// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/component.h"
#include "workload/workload-model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// A workload model as a command line names it.
struct ModelArguments
{
    std::string command; ///< for messages: "nadi trace generate"
    std::string model = {};
    std::vector<std::string> parameters = {}; ///< key=value
    std::optional<std::string> file = {};     ///< the parameter `file`, taken as it is
    std::optional<uint32_t> ranks = {};
    std::vector<uint32_t> dimensions = {};
};

/// The arguments as the value of `workload.generate`. Throws UsageError for a model that is not
/// there, for what is no key=value or is given twice, and for parameters that the model does not
/// have or cannot read: all of it was typed. Throws ConfigError for a file that cannot be used.
ComponentChoice ReadModelChoice(const ModelArguments& arguments);

/// The job of a model. Throws ConfigError where no job can be as asked for, and UsageError where
/// the number of ranks is missing or is not that of the dimensions.
Workload MakeModelJob(const ModelArguments& arguments, const ComponentChoice& choice);

/// What is wrong with a number of ranks or NPUs; empty: nothing.
std::string CheckRankCount(const std::string& text);

} // namespace nadi
