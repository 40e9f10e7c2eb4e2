// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/group-origins.h"

#include <algorithm>
#include <utility>

namespace nadi
{

GroupOrigins::GroupOrigins(const ExecutionGraph& base, Matcher findInBase)
    : m_base(base)
    , m_findInBase(std::move(findInBase))
{
}

uint32_t
GroupOrigins::IndexOf(const RecordedStage& source, uint32_t group)
{
    // Group 0 is that of all ranks in every graph.
    if (&source.Graph() == &m_base || group == 0)
    {
        return group;
    }
    const uint32_t stage = source.Rank().stage;
    if (const std::optional<uint32_t> known = m_findInBase(stage, group))
    {
        return *known;
    }
    return Add({std::string(source.Graph().GroupNames()[group]), stage, group});
}

uint32_t
GroupOrigins::IndexOfStage(const RecordedStage& base)
{
    // Such a group is group 0 of the single recorded stage, which has all ranks.
    return Add({"stage", base.Rank().stage});
}

uint32_t
GroupOrigins::IndexOfEnds()
{
    return Add({"embedding", std::nullopt});
}

uint32_t
GroupOrigins::Add(Added added)
{
    const auto isIt = [&](const Added& one)
    { return one.stage == added.stage && one.group == added.group; };
    const auto known = std::ranges::find_if(m_added, isIt);
    const auto index = static_cast<uint32_t>(known - m_added.begin());
    if (known == m_added.end())
    {
        // Names are unlike, so that the groups of a graph are.
        while (std::ranges::count(m_base.GroupNames(), added.name) > 0)
        {
            added.name += " of another stage";
        }
        m_added.push_back(std::move(added));
    }
    return static_cast<uint32_t>(m_base.GroupNames().size()) + index;
}

} // namespace nadi
