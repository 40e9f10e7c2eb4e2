// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/early-gathers.h"

#include <algorithm>
#include <set>
#include <vector>

namespace nadi
{

namespace
{

class EarlyGatherFinder
{
  public:
    EarlyGatherFinder(const RecordedHost& host, const LayerPlaces& places)
        : m_host(host)
        , m_places(places)
    {
    }

    std::map<uint32_t, uint32_t> Run()
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

  private:
    using NodeSet = std::set<uint32_t>;

    bool IsGather(uint32_t node) const
    {
        const ExecutionNode& task = m_host.Graph().Node(node);
        return task.type == NodeType::MemoryLoad ||
               (task.type == NodeType::Collective && task.collective == CollectiveType::AllGather);
    }

    /// What a task waits for outside of its layer.
    NodeSet InputsOf(uint32_t node) const
    {
        const LayerPlace& own = *m_places.PlaceOf(node);
        NodeSet inputs;
        for (const uint32_t parent : m_host.ParentsOf(node))
        {
            const std::optional<LayerPlace>& place = m_places.PlaceOf(parent);
            const bool isOfLayer =
                place && place->pass == own.pass && place->position == own.position;
            if (!isOfLayer && !m_host.Graph().Node(parent).isCpu)
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
            isBefore &= !place || place->pass != pass;
        }
        return isBefore;
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
        for (uint32_t slot = 0; slot < first.size(); ++slot)
        {
            if (!WaitsFor(first[slot], first[place.slot]) || InputsOf(first[slot]) != inputs)
            {
                continue;
            }
            if (found && InputsOf(second[slot]) != InputsOf(second[*found]))
            {
                return;
            }
            found = found ? found : slot;
        }
        if (found)
        {
            m_slots[gather] = *found;
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
    if (places.LayerCount() == 2)
    {
        m_slots = EarlyGatherFinder(host, places).Run();
    }
}

std::optional<uint32_t>
EarlyGathers::SlotAskedWith(uint32_t node) const
{
    const auto found = m_slots.find(node);
    return found == m_slots.end() ? std::nullopt : std::optional(found->second);
}

} // namespace nadi
