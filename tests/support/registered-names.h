// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/registry.h"
#include "common/text.h"

#include <string>
#include <vector>

namespace nadi::test
{

/// Those of `names` that are not registered: none, where all of them can be chosen. There may be
/// others.
template <class Base>
std::vector<std::string>
FindUnregistered(std::vector<std::string> names)
{
    std::erase_if(names,
                  [](const std::string& name)
                  { return Registry<Base>::Instance().Find(name) != nullptr; });
    return names;
}

/// "a, b or c", as errors list what can be chosen.
template <class Base>
std::string
ListRegistered()
{
    return JoinWithOr(Registry<Base>::Instance().Names());
}

} // namespace nadi::test
