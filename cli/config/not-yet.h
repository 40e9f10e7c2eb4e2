// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/config/field.h"

#include <string>
#include <vector>

namespace nadi
{

/// A key of something that is not built yet: its value is checked as if it were, so that a mistake
/// is called a mistake; then anything but the default is refused.
struct NotYetKey
{
    std::string name;
    std::string defaultText;
    std::string help;
    std::vector<std::string> words; ///< that are valid, the default among them
};

/// "<value> is not available yet; write <default>" for anything valid but the default.
Field MakeNotYetField(const NotYetKey& key);

} // namespace nadi
