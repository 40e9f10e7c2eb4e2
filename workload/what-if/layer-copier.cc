// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/layer-copier.h"

#include "common/error.h"
#include "workload/tools/structure/layer-spans.h"
#include "workload/what-if/graph-copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace nadi
{

LayerCopier::LayerCopier(const RecordedHost& host,
                         const RankStructure& rank,
                         const LayerPlaces& places,
                         const LayerChange& change)
    : m_host(host)
    , m_graph(host.Graph())
    , m_rank(rank)
    , m_change(change)
    , m_places(places)
    , m_earlyGathers(host, places)
    // Where no kernels were recorded, the operators of the host are the tasks themselves. They are
    // copied as tasks, and nothing is woven.
    , m_isHosted(!rank.tasks.empty() && !m_graph.Node(rank.tasks.front()).isCpu && !host.IsEmpty())
    , m_isOptimizer(FindOptimizerKernels(m_graph, rank))
    , m_gathers(m_graph, rank, places)
    , m_idOfNode(m_graph.NodeCount(), 0)
    , m_builder(m_graph.Source())
{
}

ExecutionGraph
LayerCopier::Run()
{
    AddGroups(m_graph, m_builder);
    ListTasks();
    // Ids before dependencies: a task may wait for any other one of the new graph.
    for (uint64_t id = 0; id < m_tasks.size(); ++id)
    {
        const NewTask& task = m_tasks[id];
        if (task.place)
        {
            m_idOfPlace[*task.place] = id;
            continue;
        }
        m_idOfNode[task.content] = id;
    }
    for (uint64_t id = 0; id < m_tasks.size(); ++id)
    {
        Write(m_tasks[id], id);
    }
    ExecutionGraph graph = m_builder.Build();
    return m_isHosted ? WeaveHost(graph, FindOrigins(), m_host) : std::move(graph);
}

bool
LayerCopier::IsOfHost(uint32_t node) const
{
    return m_isHosted && m_graph.Node(node).isCpu;
}

/// The recorded task that was launched as the one at a new place is. What the host does before the
/// first layer of a pass it does before no other, whichever layers they are.
uint32_t
LayerCopier::LaunchedAs(const LayerPlace& place) const
{
    uint32_t position = place.position == 0 ? 0 : ContentOf(place.pass, place.position);
    // A later layer may repeat the recorded first one. Then it is launched as the deepest pattern
    // is (PatternAt), which has as much before it as all later layers.
    if (position == 0 && place.position > 0)
    {
        position = std::min(m_places.LayerCount() - 1, 2U);
    }
    return m_places.TasksAt(place.pass, position)[place.slot];
}

/// The tasks of a layer are a block each, and those outside of layers are.
std::vector<TaskOrigin>
LayerCopier::FindOrigins() const
{
    std::vector<TaskOrigin> origins;
    for (const NewTask& task : m_tasks)
    {
        const size_t outside = size_t{m_places.PassCount()} * m_change.layers;
        origins.push_back({&m_host, task.content, outside});
        if (task.place)
        {
            const size_t before = size_t{task.place->pass} * m_change.layers;
            origins.back().node = LaunchedAs(*task.place);
            origins.back().block = before + task.place->position;
        }
    }
    return origins;
}

/// The layer at a position of a pass over so many: a position over as many layers, and back.
uint32_t
LayerCopier::LayerAt(uint32_t pass, uint32_t position, uint32_t layers) const
{
    return m_rank.passes[pass].isForward ? position : layers - 1 - position;
}

/// The recorded position whose layer stands at a new one.
uint32_t
LayerCopier::ContentOf(uint32_t pass, uint32_t position) const
{
    const uint32_t before = m_places.LayerCount();
    // Layers are repeated in turn by their numbers, from the first one on. Positions are converted
    // there and back, as backward passes count from the last layer.
    const uint32_t layer = LayerAt(pass, position, m_change.layers) % before;
    return LayerAt(pass, layer, before);
}

/// The recorded position whose dependencies a new one has: as many layers before it, of the first
/// two. Parameters that a layer gathers (ZeRO) come while the layer before it is computed, so they
/// are asked for two layers earlier.
uint32_t
LayerCopier::PatternAt(uint32_t position, uint32_t content) const
{
    const uint32_t deepest = std::min(m_places.LayerCount() - 1, 2U);
    return position < deepest ? position : std::max(content, deepest);
}

/// In the order of the program: the recorded tasks in theirs, those of new layers behind the last
/// recorded layer, or in a backward pass before the first.
void
LayerCopier::ListTasks()
{
    for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
    {
        if (m_places.PlaceOf(node))
        {
            AddCopies(node);
        }
        else if (m_gathers.Contains(node))
        {
            AddGathers(node);
        }
        else if (!IsOfHost(node))
        {
            m_tasks.push_back({.content = node, .pattern = node, .place = {}});
        }
    }
}

/// Gathers follow each other as the sums of the last backward pass do, the last layer's first, and
/// those of a layer in the order of the recording.
void
LayerCopier::AddGathers(uint32_t node)
{
    const std::optional<LayerPlace>& place = m_gathers.PlaceOfSum(node);
    const uint32_t before = m_places.LayerCount();
    if (!place)
    {
        m_tasks.push_back({.content = node, .pattern = node, .place = {}});
        return;
    }
    const uint32_t layer = LayerAt(place->pass, place->position, before);
    const TaskList ofLayer = m_gathers.At(place->pass, place->position);
    // All gathers of the new layers come at once, before the first one of the last recorded layer:
    // they are of later layers, whose sums come earlier.
    const bool isBesideNew = layer + 1 == before && node == ofLayer.front();
    for (uint32_t position = 0; isBesideNew && position + before < m_change.layers; ++position)
    {
        const TaskList gathers = m_gathers.At(place->pass, ContentOf(place->pass, position));
        if (gathers.size() != ofLayer.size())
        {
            // Each layer must have as many gathers as the last one. Otherwise it is unknown which
            // of them a new layer has.
            FailAt(node);
        }
        for (const uint32_t gather : gathers)
        {
            m_tasks.push_back({.content = gather, .pattern = gather, .place = {}});
        }
    }
    if (layer < m_change.layers)
    {
        m_tasks.push_back({.content = node, .pattern = node, .place = {}});
    }
}

/// A recorded task at its new position, if it keeps one, and the new layers that stand beside it.
void
LayerCopier::AddCopies(uint32_t node)
{
    const LayerPlace place = *m_places.PlaceOf(node);
    const uint32_t before = m_places.LayerCount();
    const bool isForward = m_rank.passes[place.pass].isForward;
    const TaskList& tasks = m_places.TasksAt(place.pass, place.position);
    const uint32_t layer = LayerAt(place.pass, place.position, before);
    // This is called for each task of the last recorded layer, but new layers are listed at one of
    // these tasks alone: at the first in the program where they go before the layer, as backward,
    // else at the last. Slots do not tell which task that is, as sums of gradients have the last
    // slots wherever they stand.
    const bool isBesideNew = layer + 1 == before && m_change.layers > before;
    if (isBesideNew && !isForward && node == std::ranges::min(tasks))
    {
        for (uint32_t position = 0; position < m_change.layers - before; ++position)
        {
            AddLayer(place.pass, position);
        }
    }
    if (layer < m_change.layers)
    {
        const uint32_t position = LayerAt(place.pass, layer, m_change.layers);
        const uint32_t pattern = PatternAt(position, place.position);
        m_tasks.push_back({.content = node,
                           .pattern = m_places.TasksAt(place.pass, pattern)[place.slot],
                           .place = LayerPlace{place.pass, position, place.slot}});
    }
    if (isBesideNew && isForward && node == std::ranges::max(tasks))
    {
        for (uint32_t position = before; position < m_change.layers; ++position)
        {
            AddLayer(place.pass, position);
        }
    }
}

/// All tasks of a new layer, in the order of those that it repeats.
void
LayerCopier::AddLayer(uint32_t pass, uint32_t position)
{
    const uint32_t content = ContentOf(pass, position);
    const uint32_t pattern = PatternAt(position, content);
    TaskList tasks = m_places.TasksAt(pass, content);
    // Slots are in the order of the structure's lists, nodes in that of the program.
    std::ranges::sort(tasks);
    for (const uint32_t task : tasks)
    {
        const uint32_t slot = m_places.PlaceOf(task)->slot;
        m_tasks.push_back({.content = task,
                           .pattern = m_places.TasksAt(pass, pattern)[slot],
                           .place = LayerPlace{pass, position, slot}});
    }
}

void
LayerCopier::Write(const NewTask& task, uint64_t id)
{
    NodeCopy copy = CopyNode(m_graph, task.content);
    copy.node.id = id;
    copy.name = NameOf(task);
    if (m_isOptimizer[task.content])
    {
        copy.ScaleWith(m_change.share);
    }
    if (m_change.durations == LayerDurations::Median && task.place && IsNew(*task.place))
    {
        // Both are of one task, as the wait is a part of the duration.
        const uint32_t median = FindMedian(*task.place);
        copy.node.durationPs = m_graph.Node(median).durationPs;
        copy.wait = m_graph.WaitOf(median);
    }
    AddCopy(std::move(copy), FindDependencies(task), m_builder);
    if (!task.place && m_gathers.Contains(task.content))
    {
        m_lastGather[m_graph.Node(task.content).group] = id;
    }
}

bool
LayerCopier::IsNew(const LayerPlace& place) const
{
    return LayerAt(place.pass, place.position, m_change.layers) >= m_places.LayerCount();
}

/// The task of the median duration over the recorded layers of its pass, waits for other ranks
/// apart; of an even number the later of both in the middle.
uint32_t
LayerCopier::FindMedian(const LayerPlace& place) const
{
    std::vector<uint32_t> tasks;
    for (uint32_t position = 0; position < m_places.LayerCount(); ++position)
    {
        tasks.push_back(m_places.TasksAt(place.pass, position)[place.slot]);
    }
    const auto durationOf = [this](uint32_t task)
    { return m_graph.Node(task).durationPs - m_graph.WaitOf(task).value_or(SimTime()).Ps(); };
    const auto middle = tasks.begin() + static_cast<std::ptrdiff_t>(tasks.size() / 2);
    std::ranges::nth_element(tasks, middle, {}, durationOf);
    return *middle;
}

/// With the number of the layer that it is now. Stages have as many layers each.
std::string
LayerCopier::NameOf(const NewTask& task) const
{
    const std::string name(m_graph.Name(task.content));
    if (!task.place)
    {
        return name;
    }
    const LayerPlace& place = *task.place;
    const std::vector<LayerPass>& layers = m_rank.passes[place.pass].layers;
    // Stages and chunks have as many layers each, so the layers before its own are a whole number
    // of chunks, each of which changes likewise.
    const uint32_t first = std::min(layers.front().layer, layers.back().layer);
    const uint32_t number = first / m_places.LayerCount() * m_change.layers +
                            LayerAt(place.pass, place.position, m_change.layers);
    return RenumberLayer(name, number);
}

std::vector<uint64_t>
LayerCopier::FindDependencies(const NewTask& task) const
{
    // Parameters that are asked for early are asked for together with a task of the layer before.
    // The pattern of that task is in the second recorded layer, the only one of two that has a
    // layer before it.
    const std::optional<uint32_t> slot = m_earlyGathers.SlotAskedWith(task.pattern);
    if (slot && task.place && task.place->position > 1)
    {
        const LayerPlace before{task.place->pass, task.place->position - 1, *slot};
        const uint32_t pattern = m_places.TasksAt(before.pass, 1)[*slot];
        std::vector<uint64_t> ids =
            FindInputsOf({.content = pattern, .pattern = pattern, .place = before});
        for (const uint32_t parent : m_host.ParentsOf(task.pattern))
        {
            // It may also wait for its turn behind the gathers before.
            if (m_places.IsOfLayerBefore(task.pattern, parent))
            {
                AddDependency(task, parent, ids);
            }
        }
        return ids;
    }
    if (const auto behind = m_earlyGathers.BehindOf(task.pattern); behind && !task.place)
    {
        return FindInputsBehind(*behind);
    }
    if (!task.place && m_gathers.Contains(task.content))
    {
        return FindInputsOfGather(task);
    }
    std::vector<uint64_t> ids;
    for (const uint32_t parent : m_host.ParentsOf(task.pattern))
    {
        AddDependency(task, parent, ids);
    }
    return ids;
}

/// What a gather waits for that is asked for together with a task of the last layer, and whose turn
/// is behind that layer's gathers.
std::vector<uint64_t>
LayerCopier::FindInputsBehind(const EarlyGathers::Behind& behind) const
{
    const uint32_t last = m_change.layers - 1;
    const uint32_t position = PatternAt(last, ContentOf(behind.pass, last));
    const uint32_t pattern = m_places.TasksAt(behind.pass, position)[behind.askedWith];
    std::vector<uint64_t> ids =
        FindInputsOf({.content = pattern,
                      .pattern = pattern,
                      .place = LayerPlace{behind.pass, last, behind.askedWith}});
    for (const uint32_t slot : behind.gathersBefore)
    {
        ids.push_back(IdAt({behind.pass, last, slot}));
    }
    return ids;
}

/// Gathers that wait for one another, as on one stream, do so in their new order, and whichever is
/// the first waits for what the recorded first one does.
std::vector<uint64_t>
LayerCopier::FindInputsOfGather(const NewTask& task) const
{
    const uint32_t group = m_graph.Node(task.pattern).group;
    const std::optional<uint32_t> first = m_gathers.FirstOfChain(group);
    const auto before = m_lastGather.find(group);
    const bool isFirst = first && before == m_lastGather.end();
    std::vector<uint64_t> ids;
    for (const uint32_t parent : m_host.ParentsOf(isFirst ? *first : task.pattern))
    {
        const bool isGather = m_gathers.Contains(parent);
        if (isGather && !first)
        {
            FailAt(task.pattern); // only some wait for others
        }
        if (!isGather)
        {
            AddDependency(task, parent, ids);
        }
    }
    if (first && !isFirst)
    {
        ids.push_back(before->second);
    }
    return ids;
}

/// What a task of a layer waits for outside of it.
std::vector<uint64_t>
LayerCopier::FindInputsOf(const NewTask& task) const
{
    const LayerPlace& own = *m_places.PlaceOf(task.pattern);
    std::vector<uint64_t> ids;
    for (const uint32_t parent : m_host.ParentsOf(task.pattern))
    {
        const std::optional<LayerPlace>& place = m_places.PlaceOf(parent);
        if (!place || place->pass != own.pass || place->position != own.position)
        {
            AddDependency(task, parent, ids);
        }
    }
    return ids;
}

void
LayerCopier::AddDependency(const NewTask& task, uint32_t parent, std::vector<uint64_t>& ids) const
{
    if (IsOfHost(parent))
    {
        return; // its launch
    }
    if (!m_places.PlaceOf(parent))
    {
        CheckReach(task, parent);
        ids.push_back(m_idOfNode[parent]);
    }
    else if (task.place)
    {
        AddInLayer(task, parent, ids);
    }
    else
    {
        AddOutside(task.pattern, parent, ids);
    }
}

void
LayerCopier::AddInLayer(const NewTask& task, uint32_t parent, std::vector<uint64_t>& ids) const
{
    const LayerPlace& from = *m_places.PlaceOf(parent);
    const bool isSamePass = from.pass == task.place->pass;
    // Within a pass, layers are counted in its own order. Between passes they are counted by
    // number, as forward and backward passes go through them in opposite orders.
    const uint32_t position = isSamePass ? FollowInPass(task, from) : FollowToPass(task, parent);
    ids.push_back(IdAt({from.pass, position, from.slot}));
}

/// Of two layers, the second may reach over the first to what stands before it. Then it does not
/// tell what a third one would wait for.
void
LayerCopier::CheckReach(const NewTask& task, uint32_t parent) const
{
    if (!task.place || task.place->position < 2 || m_places.LayerCount() > 2)
    {
        return;
    }
    if (!ReachesOverFirst(task.pattern, parent))
    {
        FailAt(task.pattern);
    }
}

/// Whether a task of a layer waits for the same as that of the first layer of its pass.
bool
LayerCopier::ReachesOverFirst(uint32_t pattern, uint32_t parent) const
{
    const LayerPlace& place = *m_places.PlaceOf(pattern);
    const uint32_t first = m_places.TasksAt(place.pass, 0)[place.slot];
    return std::ranges::count(m_host.ParentsOf(first), parent) > 0;
}

/// As many positions back as the pattern's.
uint32_t
LayerCopier::FollowInPass(const NewTask& task, const LayerPlace& parent) const
{
    const uint32_t pattern = m_places.PlaceOf(task.pattern)->position;
    const uint32_t at = task.place->position;
    if (parent.position > pattern || pattern - parent.position > at)
    {
        FailAt(task.pattern);
    }
    return at - (pattern - parent.position);
}

/// The same layer or its neighbour, as in the pattern; the end of another pass is its end again.
/// What is gathered for the second layer may wait for that end, too.
uint32_t
LayerCopier::FollowToPass(const NewTask& task, uint32_t parentNode) const
{
    const LayerPlace& parent = *m_places.PlaceOf(parentNode);
    const LayerPlace& pattern = *m_places.PlaceOf(task.pattern);
    const uint32_t before = m_places.LayerCount();
    const auto own = static_cast<int64_t>(LayerAt(pattern.pass, pattern.position, before));
    const auto others = static_cast<int64_t>(LayerAt(parent.pass, parent.position, before));
    const bool isEnd = parent.position + 1 == before;
    const bool isReached =
        isEnd && pattern.position == 1 && ReachesOverFirst(task.pattern, parentNode);
    if (isReached && task.place->position > 1)
    {
        FailAt(task.pattern); // what one for a third layer would wait for is unknown
    }
    if (isReached || (isEnd && pattern.position == 0 && own != others))
    {
        return m_change.layers - 1;
    }
    const int64_t layer =
        LayerAt(task.place->pass, task.place->position, m_change.layers) + others - own;
    if (std::abs(others - own) > 1 || layer < 0 || layer >= m_change.layers)
    {
        FailAt(task.pattern);
    }
    return LayerAt(parent.pass, static_cast<uint32_t>(layer), m_change.layers);
}

/// Of a task outside of layers: after all layers, or after the first or the last of a pass.
void
LayerCopier::AddOutside(uint32_t node, uint32_t parent, std::vector<uint64_t>& ids) const
{
    const LayerPlace& from = *m_places.PlaceOf(parent);
    const uint32_t last = m_places.LayerCount() - 1;
    if (last > 0 && IsAfterAll(node, from))
    {
        // The node waits for this slot of each layer, and this is called for each of them. The call
        // for the first layer adds all.
        for (uint32_t position = 0; from.position == 0 && position < m_change.layers; ++position)
        {
            ids.push_back(IdAt({from.pass, position, from.slot}));
        }
        return;
    }
    if (from.position != 0 && from.position != last)
    {
        FailAt(node);
    }
    ids.push_back(IdAt({from.pass, from.position == last ? m_change.layers - 1 : 0, from.slot}));
}

/// Whether a node waits for the same slot of all layers of the pass.
bool
LayerCopier::IsAfterAll(uint32_t node, const LayerPlace& parent) const
{
    std::set<uint32_t> positions;
    for (const uint32_t other : m_host.ParentsOf(node))
    {
        const std::optional<LayerPlace>& place = m_places.PlaceOf(other);
        if (place && place->pass == parent.pass && place->slot == parent.slot)
        {
            positions.insert(place->position);
        }
    }
    return positions.size() == m_places.LayerCount();
}

uint64_t
LayerCopier::IdAt(const LayerPlace& place) const
{
    return m_idOfPlace.at(place);
}

void
LayerCopier::FailAt(uint32_t node) const
{
    throw ConfigError(m_graph.Source(),
                      fmt::format("node {} (\"{}\") waits for a layer that is neither its own nor "
                                  "the one before it, nor an end of its pass; what it would wait "
                                  "for with other layers is unknown",
                                  m_graph.Node(node).id,
                                  m_graph.Name(node)));
}

} // namespace nadi
