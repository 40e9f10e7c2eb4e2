// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/early-gathers.h"

#include <algorithm>
#include <set>
#include <vector>

namespace nadi
{

namespace
{

/// Looks in passes of two layers for gathers that show when they are asked for.
///
/// A gather of the second layer is *asked with* a task of the first one if both wait for the same
/// nodes, and if that task uses what the gather of the same slot brought for the first layer. Then
/// the gather for a third layer is asked with the same task of the second layer.
class EarlyGatherFinder
{
  public:
    EarlyGatherFinder(const RecordedHost& host, const LayerPlaces& places)
        : m_host(host)
        , m_places(places)
    {
    }

    std::map<uint32_t, uint32_t> FindOfSecond()
    {
        for (uint32_t pass = 0; pass < m_places.PassCount(); ++pass)
        {
            for (const uint32_t node : m_places.TasksAt(pass, 1))
            {
                if (IsGather(node) && IsAskedBeforePass(node))
                {
                    Add(node);
                }
            }
        }
        return m_isCertain ? m_slots : std::map<uint32_t, uint32_t>();
    }

    std::map<uint32_t, EarlyGathers::Behind> FindBehind() const
    {
        std::map<uint32_t, EarlyGathers::Behind> found;
        for (uint32_t node = 0; node < m_host.Graph().NodeCount(); ++node)
        {
            const bool isOutside = IsGather(node) && !m_places.PlaceOf(node);
            if (const auto behind = isOutside ? BehindOf(node) : std::nullopt)
            {
                found[node] = *behind;
            }
        }
        return found;
    }

  private:
    using NodeSet = std::set<uint32_t>;

    bool IsGather(uint32_t node) const
    {
        const ExecutionNode& task = m_host.Graph().Node(node);
        // Parameters that are streamed from memory come as early as those that copies gather.
        return task.type == NodeType::MemoryLoad ||
               (task.type == NodeType::Collective && task.collective == CollectiveType::AllGather);
    }

    /// A gather that is asked for with the work of the last layer waits for the gathers of that
    /// layer, and for the same as the task that begins the work.
    std::optional<EarlyGathers::Behind> BehindOf(uint32_t node) const
    {
        NodeSet inputs;
        std::vector<uint32_t> before;
        for (const uint32_t parent : m_host.ParentsOf(node))
        {
            const std::optional<LayerPlace>& place = m_places.PlaceOf(parent);
            if (place && place->position + 1 == m_places.LayerCount() && IsGather(parent))
            {
                before.push_back(parent);
            }
            else if (!m_host.Graph().Node(parent).isCpu)
            {
                inputs.insert(parent);
            }
        }
        if (before.empty())
        {
            return std::nullopt;
        }
        const LayerPlace& last = *m_places.PlaceOf(before.front());
        const TaskList& tasks = m_places.TasksAt(last.pass, last.position);
        for (uint32_t slot = 0; slot < tasks.size(); ++slot)
        {
            if (WaitsFor(tasks[slot], before.front()) && InputsOf(tasks[slot]) == inputs)
            {
                return EarlyGathers::Behind{last.pass, slot, SlotsOf(before)};
            }
        }
        return std::nullopt;
    }

    std::vector<uint32_t> SlotsOf(const std::vector<uint32_t>& nodes) const
    {
        std::vector<uint32_t> slots;
        for (const uint32_t node : nodes)
        {
            slots.push_back(m_places.PlaceOf(node)->slot);
        }
        return slots;
    }

    /// What a task waits for outside of its layer, but for its turn.
    NodeSet InputsOf(uint32_t node) const
    {
        const LayerPlace& own = *m_places.PlaceOf(node);
        NodeSet inputs;
        for (const uint32_t parent : m_host.ParentsOf(node))
        {
            const std::optional<LayerPlace>& place = m_places.PlaceOf(parent);
            const bool isOfLayer =
                place && place->pass == own.pass && place->position == own.position;
            // An operator of the host only says when something was launched.
            if (!isOfLayer && !m_host.Graph().Node(parent).isCpu && !IsInTurn(node, parent))
            {
                inputs.insert(parent);
            }
        }
        return inputs;
    }

    bool IsAskedBeforePass(uint32_t node) const
    {
        const uint32_t pass = m_places.PlaceOf(node)->pass;
        bool isBefore = true;
        for (const uint32_t parent : m_host.ParentsOf(node))
        {
            const std::optional<LayerPlace>& place = m_places.PlaceOf(parent);
            isBefore &= !place || place->pass != pass || IsInTurn(node, parent);
        }
        return isBefore;
    }

    /// Whether both are gathers, of neighbouring layers.
    bool IsInTurn(uint32_t node, uint32_t parent) const
    {
        return IsGather(node) && IsGather(parent) && m_places.IsOfLayerBefore(node, parent);
    }

    bool WaitsFor(uint32_t node, uint32_t parent) const
    {
        const std::vector<uint32_t>& parents = m_host.ParentsOf(node);
        return std::ranges::find(parents, parent) != parents.end();
    }

    /// Where several tasks of the first layer wait for the same, they must do so in the second one,
    /// too.
    void Add(uint32_t gather)
    {
        const LayerPlace& place = *m_places.PlaceOf(gather);
        const TaskList& first = m_places.TasksAt(place.pass, 0);
        const TaskList& second = m_places.TasksAt(place.pass, 1);
        const NodeSet inputs = InputsOf(gather);
        std::optional<uint32_t> found;
        // Only a task that uses the parameters of its own layer begins the work of that layer.
        // Other tasks may wait for the same nodes, but no gather is asked for together with them.
        for (uint32_t slot = 0; slot < first.size(); ++slot)
        {
            if (!WaitsFor(first[slot], first[place.slot]) || InputsOf(first[slot]) != inputs)
            {
                continue;
            }
            // The slot stands for what the second layer's task waits for, so two slots of unlike
            // inputs leave it open.
            if (found && InputsOf(second[slot]) != InputsOf(second[*found]))
            {
                return;
            }
            found = found ? found : slot;
        }
        if (found)
        {
            m_slots[gather] = *found;
            // Where the gather for the first layer waits for something else in one pass, both
            // gathers are not asked for together by rule. That holds for the other passes of the
            // rank, too.
            m_isCertain |= InputsOf(first[place.slot]) != inputs;
        }
    }

    const RecordedHost& m_host;
    const LayerPlaces& m_places;
    std::map<uint32_t, uint32_t> m_slots;
    bool m_isCertain = false;
};

} // namespace

EarlyGathers::EarlyGathers(const RecordedHost& host, const LayerPlaces& places)
{
    EarlyGatherFinder finder(host, places);
    m_behind = finder.FindBehind();
    // Passes of three layers have a layer that shows it (LayerCopier::PatternAt).
    if (places.LayerCount() == 2)
    {
        m_slots = finder.FindOfSecond();
    }
}

std::optional<EarlyGathers::Behind>
EarlyGathers::BehindOf(uint32_t node) const
{
    const auto found = m_behind.find(node);
    return found == m_behind.end() ? std::nullopt : std::optional(found->second);
}

std::optional<uint32_t>
EarlyGathers::SlotAskedWith(uint32_t node) const
{
    const auto found = m_slots.find(node);
    return found == m_slots.end() ? std::nullopt : std::optional(found->second);
}

} // namespace nadi
