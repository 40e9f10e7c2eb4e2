// SPDX-License-Identifier: GPL-2.0-only
#include "network/shape.h"

#include "common/error.h"
#include "common/text.h"
#include "network/shapes/switch-shape.h"

namespace nadi
{

namespace
{

/// Nothing is known of how near the members are to each other: a ring asks least of the routes.
class RoutesShape : public SwitchShape
{
  public:
    ShapeDefaults Defaults() const override
    {
        return {.algorithm = "ring", .chooseRootedBySize = true};
    }
};

} // namespace

std::unique_ptr<Shape>
MakeShape(const std::string& name, const std::string& where)
{
    if (name == ROUTES)
    {
        return std::make_unique<RoutesShape>();
    }
    const Registry<Shape>& registry = Registry<Shape>::Instance();
    if (registry.Find(name) == nullptr)
    {
        throw ConfigError(where,
                          "unknown shape \"" + name + '"' + SuggestFrom(name, registry.Names()));
    }
    return registry.MakeDefault(name);
}

} // namespace nadi
