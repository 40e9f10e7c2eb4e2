// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/error.h"

#include <string>

namespace nadi
{

/// The whole text of the ConfigError that `action()` throws, or "" when it throws none.
template <class Action>
std::string
ConfigErrorText(Action action)
{
    try
    {
        action();
    }
    catch (const ConfigError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace nadi
