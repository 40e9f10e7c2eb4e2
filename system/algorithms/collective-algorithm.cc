// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "common/error.h"
#include "common/text.h"
#include "system/collective-plan.h"
#include "system/system-options.h"

namespace nadi
{
namespace
{

/// floor(index n / parts), without an intermediate past 64 bits: with n = quotient parts + rest,
/// it is index quotient + floor(index rest / parts), and rest < parts.
uint64_t
BoundOf(uint64_t n, uint64_t index, uint64_t parts)
{
    const uint64_t rest = n % parts;
    // Most buffers are cut evenly, and a plan asks for four bounds in each step: divisions count.
    return index * (n / parts) + (rest == 0 ? 0 : index * rest / parts);
}

} // namespace

Interval
PartOf(Interval interval, uint32_t index, uint32_t parts)
{
    NADI_CHECK(index < parts);
    const uint64_t n = interval.Length();
    return {interval.begin + BoundOf(n, index, parts),
            interval.begin + BoundOf(n, uint64_t{index} + 1, parts)};
}

std::vector<std::string>
AlgorithmsFor(CollectiveType type)
{
    const auto& registry = Registry<CollectiveAlgorithm>::Instance();
    std::vector<std::string> names = registry.Names();
    // Which types an algorithm supports does not depend on its parameters, so an instance with
    // defaults answers for all.
    std::erase_if(names,
                  [&](const std::string& name) { return !registry.Make(name)->Supports(type); });
    return names;
}

ComponentChoice
CompleteAlgorithm(const ComponentChoice& choice)
{
    if (choice.name == BY_SIZE)
    {
        return choice;
    }
    const auto& registry = Registry<CollectiveAlgorithm>::Instance();
    const auto* entry = registry.Find(choice.name);
    if (entry == nullptr)
    {
        throw ConfigError("system.collectives",
                          "no algorithm is called " + choice.name +
                              SuggestFrom(choice.name, registry.Names()));
    }
    return CompleteChoice(*entry, choice);
}

} // namespace nadi
