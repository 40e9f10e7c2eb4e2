// SPDX-License-Identifier: GPL-2.0-only
// What operators of the host wait for when their layers are others.
#include "workload/what-if/layer-copier.h"

#include <algorithm>

namespace nadi
{

namespace
{

void
AddOnce(std::optional<uint64_t> id, std::vector<uint64_t>& ids)
{
    if (id && std::ranges::find(ids, *id) == ids.end())
    {
        ids.push_back(*id);
    }
}

} // namespace

/// The recorded position whose operators stand at a new one: that of the content. What the host
/// does between two layers belongs to the second, so the first recorded layer tells it for no other
/// one.
uint32_t
LayerCopier::HostContentOf(uint32_t pass, uint32_t position) const
{
    const uint32_t content = ContentOf(pass, position);
    const bool isFirst = content == 0 && position > 0 && !m_host.IsEmpty();
    return isFirst ? std::min(m_places.LayerCount() - 1, 2U) : content;
}

/// An operator of a recorded layer at its new position, if it keeps one. Those of new layers come
/// with their tasks.
void
LayerCopier::AddHost(uint32_t node)
{
    const LayerPlace place = *m_host.PlaceOf(node);
    const uint32_t layer = LayerAt(place.pass, place.position, m_places.LayerCount());
    if (layer < m_change.layers)
    {
        const uint32_t position = LayerAt(place.pass, layer, m_change.layers);
        m_tasks.push_back({.content = node,
                           .pattern = node,
                           .place = LayerPlace{place.pass, position, place.slot},
                           .isHost = true});
    }
}

std::vector<uint64_t>
LayerCopier::FindHostDependencies(const NewTask& task) const
{
    std::vector<uint64_t> ids;
    for (const uint32_t parent : m_parents[task.content])
    {
        AddOnce(m_graph.Node(parent).isCpu ? FollowHost(task, parent) : FollowAwaited(task, parent),
                ids);
    }
    return ids;
}

/// A task of the accelerator waits for the operator that launches it.
void
LayerCopier::AddLaunches(const NewTask& task, std::vector<uint64_t>& ids) const
{
    if (m_host.IsEmpty())
    {
        return;
    }
    uint32_t launched = task.content;
    if (task.place)
    {
        const auto [pass, position, slot] = *task.place;
        launched = m_places.TasksAt(pass, HostContentOf(pass, position))[slot];
    }
    for (const uint32_t parent : m_parents[launched])
    {
        if (m_graph.Node(parent).isCpu)
        {
            AddOnce(FollowHost(task, parent), ids);
        }
    }
}

/// An operator that the content waits for: of its own layer, the same one of the new layer; of
/// what was before, the last one of the new layer before.
std::optional<uint64_t>
LayerCopier::FollowHost(const NewTask& task, uint32_t parent) const
{
    const std::optional<LayerPlace>& from = m_host.PlaceOf(parent);
    if (!task.place)
    {
        return from ? EndOfHost(*from) : std::optional(m_idOfNode[parent]);
    }
    const auto [pass, position, slot] = *task.place;
    const uint32_t content = HostContentOf(pass, position);
    if (from && from->pass != pass)
    {
        return EndOfHost(*from);
    }
    if (from && from->position == content)
    {
        return m_idOfHost.at({pass, position, from->slot});
    }
    const bool keepsPlace = position == content;
    if (!from && (keepsPlace || content > 0))
    {
        return m_idOfNode[parent];
    }
    return LastHostBefore(pass, position);
}

/// A kernel that a call of the host waits for: that of its own layer, or one as many layers back.
/// Which one is decided by the order of the program, so it is the same for each repetition.
std::optional<uint64_t>
LayerCopier::FollowAwaited(const NewTask& task, uint32_t parent) const
{
    const std::optional<LayerPlace>& from = m_places.PlaceOf(parent);
    const auto endOf = [this](const LayerPlace& place)
    {
        const bool isLast = place.position + 1 == m_places.LayerCount();
        const uint32_t last = m_change.layers - 1;
        return IdAt({place.pass, isLast ? last : std::min(place.position, last), place.slot});
    };
    if (!task.place)
    {
        return from ? endOf(*from) : m_idOfNode[parent];
    }
    const auto [pass, position, slot] = *task.place;
    const uint32_t content = HostContentOf(pass, position);
    if (from && from->pass != pass)
    {
        return endOf(*from);
    }
    if (from)
    {
        const uint32_t back = content - std::min(content, from->position);
        return back > position ? std::nullopt
                               : std::optional(IdAt({pass, position - back, from->slot}));
    }
    if (position == content || content > 0)
    {
        return m_idOfNode[parent];
    }
    // What stands before the first layer stands before no other: the layer before it does.
    const TaskList& before = m_places.TasksAt(pass, ContentOf(pass, position - 1));
    const auto last = std::ranges::max_element(before);
    return IdAt({pass, position - 1, static_cast<uint32_t>(last - before.begin())});
}

/// The last operator of the new layers before a position, or what the first layer of the pass waits
/// for on the host.
std::optional<uint64_t>
LayerCopier::LastHostBefore(uint32_t pass, uint32_t position) const
{
    while (position > 0)
    {
        --position;
        const TaskList& nodes = m_host.NodesAt(pass, HostContentOf(pass, position));
        if (!nodes.empty())
        {
            return m_idOfHost.at({pass, position, static_cast<uint32_t>(nodes.size() - 1)});
        }
    }
    for (const uint32_t node : m_host.NodesAt(pass, 0))
    {
        for (const uint32_t parent : m_parents[node])
        {
            if (m_graph.Node(parent).isCpu && !m_host.PlaceOf(parent))
            {
                return m_idOfNode[parent];
            }
        }
    }
    return std::nullopt;
}

/// Of an operator that something outside of its pass waits for: itself, where its layer stays and
/// is not the last one, else the last one of the pass.
std::optional<uint64_t>
LayerCopier::EndOfHost(const LayerPlace& parent) const
{
    const bool isLast = parent.position + 1 == m_places.LayerCount();
    const uint32_t layer = LayerAt(parent.pass, parent.position, m_places.LayerCount());
    if (!isLast && layer < m_change.layers)
    {
        const uint32_t position = LayerAt(parent.pass, layer, m_change.layers);
        return m_idOfHost.at({parent.pass, position, parent.slot});
    }
    return LastHostBefore(parent.pass, m_change.layers);
}

} // namespace nadi
