// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/backend-kind.h"

#include "common/check.h"

namespace nadi
{

std::string
ToText(BackendKind backend)
{
    for (const auto& [name, kind] : BACKEND_NAMES)
    {
        if (kind == backend)
        {
            return name;
        }
    }
    NADI_CHECK(!"every backend has a name");
    return {};
}

} // namespace nadi
