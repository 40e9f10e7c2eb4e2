// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/draft-changes.h"

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

void
AddOnce(std::vector<uint32_t>& list, uint32_t value)
{
    if (std::ranges::find(list, value) == list.end())
    {
        list.push_back(value);
    }
}

} // namespace

std::vector<DraftTask>
DraftsOf(const ExecutionGraph& graph, const RankMeaning& meaning)
{
    std::vector<std::vector<uint32_t>> parents = FindParents(graph);
    std::vector<DraftTask> drafts;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        drafts.push_back(
            {CopyNode(graph, node), meaning.tasks[node], std::move(parents[node]), node});
    }
    return drafts;
}

void
AddDrafts(std::vector<DraftTask> drafts, ExecutionGraphBuilder& builder)
{
    // A new draft has no id. Where there is one, all are numbered, so that no two ids are equal.
    if (std::ranges::find(drafts, DraftTask::NO_NODE, &DraftTask::origin) != drafts.end())
    {
        for (size_t i = 0; i < drafts.size(); ++i)
        {
            drafts[i].copy.node.id = i;
        }
    }
    for (DraftTask& draft : drafts)
    {
        std::vector<uint64_t> ids;
        for (const uint32_t parent : draft.parents)
        {
            ids.push_back(drafts[parent].copy.node.id);
        }
        AddCopy(std::move(draft.copy), ids, builder);
    }
}

std::string
WithoutEnd(std::string_view text, std::string_view end)
{
    return std::string(text.ends_with(end) ? text.substr(0, text.size() - end.size()) : text);
}

std::string
NameOfBlock(std::string_view name)
{
    return WithoutEnd(WithoutEnd(name, " input gradient"), " weight gradient");
}

DraftChanges::DraftChanges(std::vector<DraftTask> drafts)
    : m_drafts(std::move(drafts))
    , m_isGone(m_drafts.size(), false)
    , m_before(m_drafts.size())
    , m_behind(m_drafts.size())
{
}

uint32_t
DraftChanges::AddBefore(uint32_t draft, DraftTask task)
{
    m_before[draft].push_back(Count());
    m_drafts.push_back(std::move(task));
    return Count() - 1;
}

uint32_t
DraftChanges::AddBehind(uint32_t draft, DraftTask task)
{
    m_behind[draft].push_back(Count());
    m_drafts.push_back(std::move(task));
    return Count() - 1;
}

void
DraftChanges::Remove(uint32_t draft)
{
    // Only marked, as others name the draft until Write gives them its parents instead.
    m_isGone[draft] = true;
}

void
DraftChanges::Replace(uint32_t child, uint32_t parent, uint32_t other)
{
    std::vector<uint32_t>& parents = m_drafts[child].parents;
    std::erase(parents, parent);
    AddOnce(parents, other);
}

bool
DraftChanges::WaitsFor(uint32_t child, uint32_t parent) const
{
    const std::vector<uint32_t>& parents = m_drafts[child].parents;
    return std::ranges::find(parents, parent) != parents.end();
}

std::vector<DraftTask>
DraftChanges::Write()
{
    // New drafts are behind the recorded ones in the list. The walk is over the recorded ones, and
    // new ones come with those that they stand beside.
    const auto recorded = static_cast<uint32_t>(m_isGone.size());
    m_isGone.resize(Count(), false);
    for (uint32_t draft = 0; draft < recorded; ++draft)
    {
        std::ranges::for_each(m_before[draft], [this](uint32_t added) { WriteOne(added); });
        WriteOne(draft);
        std::ranges::for_each(m_behind[draft], [this](uint32_t added) { WriteOne(added); });
    }
    // Parents are indices of drafts until it is known where each draft comes to stand.
    std::vector<uint32_t> places(Count(), 0);
    for (uint32_t place = 0; place < m_order.size(); ++place)
    {
        places[m_order[place]] = place;
    }
    std::vector<DraftTask> written;
    for (const uint32_t draft : m_order)
    {
        std::vector<uint32_t> parents;
        AddParents(draft, parents);
        std::ranges::transform(
            parents, parents.begin(), [&](uint32_t parent) { return places[parent]; });
        written.push_back(m_drafts[draft]);
        written.back().parents = std::move(parents);
    }
    return written;
}

void
DraftChanges::WriteOne(uint32_t draft)
{
    if (!m_isGone[draft])
    {
        m_order.push_back(draft);
    }
}

/// What a draft waits for when it is written. A parent that goes is replaced by its own parents,
/// and so are those of them that go.
void
DraftChanges::AddParents(uint32_t draft, std::vector<uint32_t>& parents) const
{
    const std::vector<uint32_t>& own = m_drafts[draft].parents;
    const bool hasOthers =
        std::ranges::any_of(own, [this](uint32_t parent) { return !m_isGone[parent]; });
    for (const uint32_t parent : own)
    {
        // Parameters come early. A draft that waits for something else too would only be held up by
        // what the gather of its parameters waited for.
        const bool isGather = m_drafts[parent].copy.node.collective == CollectiveType::AllGather;
        if (!m_isGone[parent])
        {
            AddOnce(parents, parent);
        }
        else if (!isGather || !hasOthers)
        {
            AddParents(parent, parents);
        }
    }
}

} // namespace nadi
