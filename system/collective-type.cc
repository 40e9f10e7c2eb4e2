// SPDX-License-Identifier: GPL-2.0-only
#include "system/collective-type.h"

#include "common/check.h"

#include <algorithm>
#include <array>

namespace nadi
{
namespace
{

// In the order of the enumeration.
constexpr std::array<std::string_view, 9> TEXTS = {
    "all-reduce",
    "all-gather",
    "reduce-scatter",
    "all-to-all",
    "broadcast",
    "reduce",
    "gather",
    "scatter",
    "barrier",
};

} // namespace

std::string_view
ToText(CollectiveType type)
{
    const auto index = static_cast<size_t>(type);
    NADI_CHECK(index < TEXTS.size());
    return TEXTS[index];
}

std::optional<CollectiveType>
FindCollectiveType(std::string_view text)
{
    const auto* const found = std::find(TEXTS.begin(), TEXTS.end(), text);
    if (found == TEXTS.end())
    {
        return std::nullopt;
    }
    return static_cast<CollectiveType>(found - TEXTS.begin());
}

const std::vector<CollectiveType>&
AllCollectiveTypes()
{
    static const std::vector<CollectiveType> types = []
    {
        std::vector<CollectiveType> all;
        for (size_t index = 0; index < TEXTS.size(); ++index)
        {
            all.push_back(static_cast<CollectiveType>(index));
        }
        return all;
    }();
    return types;
}

bool
HasRoot(CollectiveType type)
{
    switch (type)
    {
    case CollectiveType::Broadcast:
    case CollectiveType::Reduce:
    case CollectiveType::Gather:
    case CollectiveType::Scatter:
        return true;
    default:
        return false;
    }
}

} // namespace nadi
