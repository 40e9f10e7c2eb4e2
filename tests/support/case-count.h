// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace nadi::test
{

/// How many random cases a test takes: many with NADI_TEST_FULL=1, few with NADI_TEST_REDUCED=1.
struct CaseCount
{
    uint32_t reduced = 1;
    uint32_t normal = 1;
    uint32_t full = 1;

    uint32_t Pick() const
    {
        const auto isSet = [](const char* name)
        {
            const char* value = std::getenv(name);
            return value != nullptr && std::string(value) == "1";
        };
        if (isSet("NADI_TEST_REDUCED"))
        {
            return reduced;
        }
        return isSet("NADI_TEST_FULL") ? full : normal;
    }
};

} // namespace nadi::test
