// SPDX-License-Identifier: GPL-2.0-only
#include "network/shape.h"

#include "common/error.h"
#include "common/text.h"

namespace nadi
{

std::unique_ptr<Shape>
MakeShape(const std::string& name, const std::string& where)
{
    const Registry<Shape>& registry = Registry<Shape>::Instance();
    if (registry.Find(name) == nullptr)
    {
        throw ConfigError(where,
                          "unknown shape \"" + name + '"' + SuggestFrom(name, registry.Names()));
    }
    return registry.Make(name);
}

} // namespace nadi
