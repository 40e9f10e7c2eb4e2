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
MakeShape(const ComponentChoice& choice, const std::string& where)
{
    // ROUTES is not in the registry, since users cannot choose it: it is for logical stacks only.
    if (choice.name == ROUTES)
    {
        return std::make_unique<RoutesShape>();
    }
    const Registry<Shape>& registry = Registry<Shape>::Instance();
    if (registry.Find(choice.name) == nullptr)
    {
        throw ConfigError(where,
                          "unknown shape \"" + choice.name + '"' +
                              SuggestFrom(choice.name, registry.Names()));
    }
    return registry.Make(choice);
}

} // namespace nadi
