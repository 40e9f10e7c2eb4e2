// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/unit-parser.h"

#include <string>

namespace nadi
{

/// The whole text of the UnitError that `action()` throws, or "" when it throws none.
template <class Action>
std::string
UnitErrorText(Action action)
{
    try
    {
        action();
    }
    catch (const UnitError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace nadi
