// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/pytorch-groups.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// Names that a reader takes for all ranks.
bool
IsReserved(const std::string& name)
{
    return name.empty() || name == "0" || name == "0.0";
}

bool
AreAll(const std::vector<uint32_t>& ranks, uint32_t worldSize)
{
    for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    {
        if (ranks[rank] != rank)
        {
            return false;
        }
    }
    return ranks.size() == worldSize;
}

} // namespace

std::string
PytorchGroups::Resolve(const std::string& name,
                       const std::vector<uint32_t>& ranks,
                       uint32_t worldSize)
{
    if (IsReserved(name) && AreAll(ranks, worldSize))
    {
        return name;
    }
    auto& meanings = m_meanings[name];
    // The first meaning keeps the plain name. A reader takes a reserved name for all ranks, so all
    // ranks are its first meaning.
    if (meanings.empty() && IsReserved(name))
    {
        meanings.emplace_back(); // all ranks
    }
    const auto found = std::find(meanings.begin(), meanings.end(), ranks);
    const auto place = static_cast<size_t>(found - meanings.begin());
    const std::string resolved = place == 0 ? name : name + "#" + std::to_string(place + 1);
    if (found == meanings.end())
    {
        meanings.push_back(ranks);
        m_groups[resolved] = ranks;
    }
    return resolved;
}

} // namespace nadi
