// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/rank-analysis.h"

#include "common/error.h"
#include "workload/tools/structure/joined-passes.h"
#include "workload/tools/structure/name-pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

/// The word under which LayerKind::tasksByType counts a task. Copies and memsets of the accelerator
/// have no NodeType of their own, so they are told by their names.
std::string
TypeOfTask(const ExecutionGraph& graph, uint32_t index)
{
    const ExecutionNode& node = graph.Node(index);
    switch (node.type)
    {
    case NodeType::Collective:
        return std::string(ToText(node.collective));
    case NodeType::Send:
        return "send";
    case NodeType::Receive:
        return "receive";
    case NodeType::MemoryLoad:
        return "load";
    case NodeType::MemoryStore:
        return "store";
    default:
        break;
    }
    if (node.isCpu)
    {
        return "operator";
    }
    const std::string_view name = graph.Name(index);
    const bool isSet = name.starts_with("Memset");
    return isSet ? "memset" : name.starts_with("Memcpy") ? "memcpy" : "kernel";
}

/// Of an even number of values the larger one of the two in the middle; 0 where there are none.
uint64_t
MedianOf(std::vector<uint64_t> values)
{
    if (values.empty())
    {
        return 0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

} // namespace

RankAnalysis::RankAnalysis(const ExecutionGraph& graph,
                           const RecordedOrder& order,
                           const StructureHints& hints,
                           std::vector<KnownLayer> known)
    : m_graph(graph)
    , m_order(order)
    , m_hints(hints)
    , m_known(std::move(known))
{
}

const ExecutionNode&
RankAnalysis::NodeAt(size_t place) const
{
    return m_graph.Node(m_result.tasks[place]);
}

/// Operations of a kernel, or its picoseconds where it names no operations; 0 of all else. Only
/// shares of sums are taken, so the unit does not matter as long as all kernels have the same one.
uint64_t
RankAnalysis::WorkOf(size_t place) const
{
    const ExecutionNode& node = NodeAt(place);
    if (!IsKernelTask(node))
    {
        return 0;
    }
    return node.operations > 0 ? node.operations : static_cast<uint64_t>(node.durationPs);
}

bool
RankAnalysis::IsGather(size_t place) const
{
    const ExecutionNode& node = NodeAt(place);
    // Parameters that lie in memory are loaded before a layer, as others are gathered.
    return node.type == NodeType::MemoryLoad ||
           (IsCollectiveTask(node) && node.collective == CollectiveType::AllGather);
}

bool
RankAnalysis::IsExchange(size_t place) const
{
    const ExecutionNode& node = NodeAt(place);
    return IsCollectiveTask(node) && node.collective == CollectiveType::AllToAll;
}

bool
RankAnalysis::IsBackwardAt(size_t place) const
{
    const uint32_t task = m_result.tasks[place];
    return IsKernelTask(NodeAt(place)) &&
           (m_order.ScopeOf(task).isBackward || NamesBackward(m_graph.Name(task)));
}

bool
RankAnalysis::IsOptimizerAt(size_t place) const
{
    const uint32_t task = m_result.tasks[place];
    return IsKernelTask(NodeAt(place)) &&
           (m_order.ScopeOf(task).isOptimizer || NamesOptimizer(m_graph.Name(task)));
}

/// The kind of all layers of these kernels and messages, a new one where none is known yet. Kinds
/// are numbered in the order in which they are met, on which SetDirectionsByWork relies.
uint32_t
RankAnalysis::KindOf(const LayerSpan& span)
{
    std::vector<TaskSignature> block(
        m_spine.signatures.begin() + static_cast<std::ptrdiff_t>(span.begin),
        m_spine.signatures.begin() + static_cast<std::ptrdiff_t>(span.end));
    const auto known = std::ranges::find(m_blocks, block);
    if (known != m_blocks.end())
    {
        return static_cast<uint32_t>(known - m_blocks.begin());
    }
    m_blocks.push_back(std::move(block));
    m_firstOfKind.push_back(span);
    return static_cast<uint32_t>(m_blocks.size() - 1);
}

// Layers begin at the kernels that fit. The last one of a pass is as long as the one before it.
std::vector<PassSpans>
RankAnalysis::FindHintedPasses() const
{
    std::vector<size_t> begins;
    NamePattern pattern("--layer-pattern", m_hints.layerPattern);
    for (size_t at = 0; at < m_spine.places.size(); ++at)
    {
        if (pattern.Fits(m_graph.Name(m_result.tasks[m_spine.places[at]])))
        {
            begins.push_back(at);
        }
    }
    if (begins.empty())
    {
        throw ConfigError("--layer-pattern",
                          fmt::format("'{}' fits the name of no kernel of {}; give what the first "
                                      "kernel of each layer is called",
                                      m_hints.layerPattern,
                                      m_graph.Source()));
    }
    // Two begins within a pass are one layer apart, and other tasks may stand between passes. So
    // the least distance is the length of a layer.
    size_t length = m_spine.places.size();
    for (size_t i = 0; i + 1 < begins.size(); ++i)
    {
        length = std::min(length, begins[i + 1] - begins[i]);
    }
    std::vector<PassSpans> passes;
    for (size_t i = 0; i < begins.size(); ++i)
    {
        if (i == 0 || begins[i] != begins[i - 1] + length)
        {
            passes.emplace_back();
        }
        passes.back().push_back(
            {begins[i], std::min(begins[i] + length, m_spine.places.size()), std::nullopt});
    }
    return passes;
}

/// Takes the first evidence that there is: the pattern of the user, layers that are known from
/// elsewhere, numbers in scopes and names, repetition. Empty where no layers are found.
std::vector<PassSpans>
RankAnalysis::FindSpans()
{
    std::vector<PassSpans> spans;
    if (!m_hints.layerPattern.empty())
    {
        m_result.evidence = StructureEvidence::Hint;
        return FindHintedPasses();
    }
    if (!m_known.empty())
    {
        m_result.evidence = StructureEvidence::Repetition;
        // The known layers are of other ranks, or of the job that an edit made this job of. They
        // are found by equal tasks, as repetition is.
        return FindKnownPasses(m_spine, m_known);
    }
    spans = FindScopedPasses(m_graph, m_result.tasks, m_spine, m_order);
    m_result.evidence = StructureEvidence::Scopes;
    // Numbers in names may count something else than layers, or layers of which no two are equal.
    if (!HaveEqualLayers(m_spine, spans))
    {
        spans = FindRepeatedPasses(m_spine);
        m_result.evidence = spans.empty() ? StructureEvidence::None : StructureEvidence::Repetition;
    }
    return spans;
}

/// Cuts the spine into passes and their layers, and gives each layer its kind and its share of the
/// collectives around it. The passes stand in the order of the program.
void
RankAnalysis::FindPasses()
{
    const LayerBoundsFinder finder(
        m_spine,
        m_signatures,
        {.isGather = [this](size_t place) { return IsGather(place); },
         .isExchange = [this](size_t place) { return IsExchange(place); },
         .layerOf = [this](size_t place)
         { return FindLayerOf(m_graph, m_order, m_result.tasks[place]); }});
    for (const PassSpans& spans : CutJoinedPasses(m_graph, m_result.tasks, m_spine, FindSpans()))
    {
        BoundPass pass;
        for (const LayerSpan& span : spans)
        {
            pass.kinds.push_back(KindOf(span));
        }
        pass.layers = finder.Find(spans);
        if (!m_passes.empty())
        {
            // A gather between two passes is for what follows.
            size_t& end = m_passes.back().layers.back().end;
            end = std::min(end, pass.layers.front().begin);
        }
        m_passes.push_back(std::move(pass));
    }
}

std::vector<KnownLayer>
RankAnalysis::Layers() const
{
    std::vector<KnownLayer> layers;
    for (size_t kind = 0; kind < m_blocks.size(); ++kind)
    {
        layers.push_back({m_blocks[kind], m_kindIsForward[kind]});
    }
    return layers;
}

/// All layers of a pass have one direction (FindKnownPasses), so the first one tells it.
void
RankAnalysis::SetKnownDirections()
{
    for (BoundPass& pass : m_passes)
    {
        const std::vector<TaskSignature>& block = m_blocks[pass.kinds.front()];
        pass.isForward = std::ranges::find(m_known, block, &KnownLayer::block)->isForward;
    }
}

void
RankAnalysis::SetDirections()
{
    if (!m_known.empty())
    {
        SetKnownDirections();
        return;
    }
    // One kernel is enough, as only some kernels of a backward layer have names that say so.
    const auto isNamed = [this](const LayerSpan& span)
    {
        const auto begin = m_spine.isBackward.begin();
        return std::find(begin + static_cast<std::ptrdiff_t>(span.begin),
                         begin + static_cast<std::ptrdiff_t>(span.end),
                         true) != begin + static_cast<std::ptrdiff_t>(span.end);
    };
    // If names show one kind of layer to be backward, they are taken to show all kinds that are.
    if (std::ranges::none_of(m_firstOfKind, isNamed))
    {
        SetDirectionsByWork();
        return;
    }
    for (BoundPass& pass : m_passes)
    {
        pass.isForward = !isNamed(pass.layers.front().span);
    }
}

// A job that trains goes as often backward as forward, the first pass is forward, and what comes
// back costs twice as much.
void
RankAnalysis::SetDirectionsByWork()
{
    // Kinds are numbered in the order in which they are met, so those of forward layers come first.
    // Each cut between two kinds is tried: as many layers must stand before it as behind it, and at
    // most two fifths of the work before it, which allows that a backward layer costs only 1.5
    // times a forward one. Where no cut fits, all passes stay forward.
    std::vector<uint64_t> layers(m_blocks.size());
    std::vector<uint64_t> work(m_blocks.size());
    uint64_t allLayers = 0;
    uint64_t allWork = 0;
    for (const BoundPass& pass : m_passes)
    {
        for (size_t i = 0; i < pass.layers.size(); ++i)
        {
            layers[pass.kinds[i]] += 1;
            ++allLayers;
            for (size_t at = pass.layers[i].begin; at < pass.layers[i].end; ++at)
            {
                work[pass.kinds[i]] += WorkOf(at);
                allWork += WorkOf(at);
            }
        }
    }
    uint64_t forwardLayers = 0;
    uint64_t forwardWork = 0;
    for (uint32_t kind = 0; kind + 1 < m_blocks.size(); ++kind)
    {
        forwardLayers += layers[kind];
        forwardWork += work[kind];
        if (2 * forwardLayers == allLayers && 5 * forwardWork <= 2 * allWork)
        {
            for (BoundPass& pass : m_passes)
            {
                pass.isForward = pass.kinds.front() <= kind;
            }
            return;
        }
    }
}

// Layers of different kinds, as the dense ones of a mixture of experts, are of one pass where they
// follow each other at once.
void
RankAnalysis::MergeNeighbours()
{
    std::vector<BoundPass> merged;
    for (BoundPass& pass : m_passes)
    {
        // Passes of equal layers that follow each other at once are of two micro-batches, as
        // CutJoinedPasses has cut them, and stay apart. Only passes by repetition are merged:
        // repetition begins another pass where the kind of layers changes, and names and hints do
        // not.
        const bool follows = !merged.empty() && merged.back().isForward == pass.isForward &&
                             merged.back().kinds.back() != pass.kinds.front() &&
                             merged.back().layers.back().span.end == pass.layers.front().span.begin;
        if (!follows || m_result.evidence != StructureEvidence::Repetition)
        {
            merged.push_back(std::move(pass));
            continue;
        }
        BoundPass& last = merged.back();
        // Collectives that neither of the two has taken end the layer before.
        last.layers.back().end = pass.layers.front().begin;
        last.layers.insert(last.layers.end(), pass.layers.begin(), pass.layers.end());
        last.kinds.insert(last.kinds.end(), pass.kinds.begin(), pass.kinds.end());
    }
    m_passes = std::move(merged);
}

/// What most layers of each kind consist of, collectives and all.
void
RankAnalysis::AddKinds()
{
    std::vector<std::map<std::vector<TaskSignature>, uint32_t>> counts(m_blocks.size());
    m_result.kinds.resize(m_blocks.size());
    m_patterns.resize(m_blocks.size());
    m_kindIsForward.resize(m_blocks.size());
    for (const BoundPass& pass : m_passes)
    {
        for (size_t i = 0; i < pass.layers.size(); ++i)
        {
            const auto begin = m_signatures.begin();
            ++counts[pass.kinds[i]][{begin + static_cast<std::ptrdiff_t>(pass.layers[i].begin),
                                     begin + static_cast<std::ptrdiff_t>(pass.layers[i].end)}];
            m_result.kinds[pass.kinds[i]].isForward = pass.isForward;
            m_kindIsForward[pass.kinds[i]] = pass.isForward;
        }
    }
    for (size_t kind = 0; kind < counts.size(); ++kind)
    {
        // Of patterns that are equally frequent the shorter: what is added stands once.
        const auto most = std::ranges::max_element(
            counts[kind],
            {},
            [](const auto& entry)
            { return std::pair(entry.second, -static_cast<int64_t>(entry.first.size())); });
        m_patterns[kind] = most->first;
        m_result.kinds[kind].taskCount = static_cast<uint32_t>(most->first.size());
    }
}

/// Tasks that come next in the pattern of the kind are of the layer, all others are extra. If a
/// task of the pattern is missing, all behind it become extra.
LayerPass
RankAnalysis::MakeLayer(const LayerBounds& bounds, uint32_t kind) const
{
    const std::vector<TaskSignature>& pattern = m_patterns[kind];
    LayerPass layer{.layer = 0, .kind = kind, .tasks = {}, .extra = {}};
    for (size_t at = bounds.begin; at < bounds.end; ++at)
    {
        const size_t next = layer.tasks.size();
        const bool fits = next < pattern.size() && m_signatures[at] == pattern[next];
        (fits ? layer.tasks : layer.extra).push_back(m_result.tasks[at]);
    }
    return layer;
}

/// What LayerKind says of a kind beyond its pattern. Durations differ between the layers of a kind,
/// so the median stands for them: a single slow layer does not move it.
void
RankAnalysis::FillKind(uint32_t kind)
{
    LayerKind& filled = m_result.kinds[kind];
    std::vector<uint64_t> nanos;
    for (const LayerRunPass& pass : m_result.passes)
    {
        for (const LayerPass& layer : pass.layers)
        {
            if (layer.kind != kind)
            {
                continue;
            }
            uint64_t sum = 0;
            for (const uint32_t task : layer.tasks)
            {
                const ExecutionNode& node = m_graph.Node(task);
                sum += IsKernelTask(node) ? static_cast<uint64_t>(node.durationPs) : 0;
                // All layers of a kind have equal tasks, so the first one tells types and
                // operations. Durations differ.
                if (filled.passes == 0)
                {
                    ++filled.tasksByType[TypeOfTask(m_graph, task)];
                    filled.operations += node.operations;
                }
            }
            nanos.push_back(sum / 1000);
            ++filled.passes;
        }
    }
    filled.nanos = MedianOf(std::move(nanos));
}

void
RankAnalysis::AddPasses()
{
    for (const BoundPass& bound : m_passes)
    {
        LayerRunPass pass;
        pass.isForward = bound.isForward;
        for (size_t i = 0; i < bound.layers.size(); ++i)
        {
            LayerPass layer = MakeLayer(bound.layers[i], bound.kinds[i]);
            const auto place = static_cast<uint32_t>(i);
            const auto last = static_cast<uint32_t>(bound.layers.size() - 1);
            // Backward, the last layer comes first.
            layer.layer = bound.layers[i].number.value_or(bound.isForward ? place : last - place);
            pass.layers.push_back(std::move(layer));
        }
        m_result.passes.push_back(std::move(pass));
    }
}

/// Layers are looked for in the spine, kernels and messages alone, and get their collectives
/// afterwards. The steps rely on each other in this order. FindPasses cuts the spine into passes
/// and layers, and deals the collectives between layers. SetDirections tells forward passes from
/// backward ones, and MergeNeighbours joins passes of one direction only. AddKinds takes what most
/// layers of a kind consist of as the pattern of the kind; merging moves the ends of layers, so
/// this comes after it. AddPasses makes the layers by the patterns, and DealRest shares what stands
/// between passes (rank-analysis-rest.cc).
RankStructure
RankAnalysis::Analyse()
{
    m_result.tasks = OrderTasks(m_graph, m_order);
    m_signatures = ComputeSignatures(m_graph, m_result.tasks);
    m_spine = MakeSpine(m_graph, m_result.tasks, m_signatures, m_order);
    FindPasses();
    if (m_passes.empty())
    {
        m_result.head = m_result.tasks;
        return std::move(m_result);
    }
    SetDirections();
    MergeNeighbours();
    AddKinds();
    AddPasses();
    for (uint32_t kind = 0; kind < m_result.kinds.size(); ++kind)
    {
        m_result.kinds[kind].first =
            static_cast<uint32_t>(m_spine.places[m_firstOfKind[kind].begin]);
        FillKind(kind);
    }
    DealRest();
    return std::move(m_result);
}

} // namespace nadi
