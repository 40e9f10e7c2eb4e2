// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <string>

namespace nadi::test
{

inline bool
Contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace nadi::test
