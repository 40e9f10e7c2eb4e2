// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/config/field.h"
#include "common/parameters.h"

#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// A key of a mechanism that is not built yet: its value is checked as if it were, so that a
/// mistake is called a mistake; then anything but the default is refused.
struct NotYetKey
{
    std::string name;
    std::string defaultText;
    std::string help;
    std::vector<std::string> words;          ///< that are valid, the default among them
    std::optional<ParameterKind> quantity{}; ///< or a value of this kind
    std::vector<ParameterSpec> keys{};       ///< or a mapping of these
    bool takesParameters = false;            ///< or {name: <word>, <parameters>}
};

/// "<value> is not available yet; write <default>" for anything valid but the default.
Field MakeNotYetField(const NotYetKey& key);

/// The same for a key whose default is an empty list or mapping.
Field MakeNotYetEmptyField(const std::string& name, const Json& empty, const std::string& help);

} // namespace nadi
