// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/rank-analysis.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <utility>

namespace nadi
{

namespace
{

/// Requires: both are of one rank, as groups are compared by their number within its graph.
bool
AreEqualCalls(const ExecutionNode& one, const ExecutionNode& other)
{
    return one.type == NodeType::Collective && other.type == NodeType::Collective &&
           one.collective == other.collective && one.group == other.group && one.size == other.size;
}

} // namespace

void
RankAnalysis::Append(TaskList& list, size_t begin, size_t end) const
{
    list.insert(list.end(),
                m_result.tasks.begin() + static_cast<std::ptrdiff_t>(begin),
                m_result.tasks.begin() + static_cast<std::ptrdiff_t>(end));
}

/// The kernels and messages among the tasks in [begin, end), as places in the list of tasks.
std::vector<size_t>
RankAnalysis::SpinePlaces(size_t begin, size_t end) const
{
    const auto first = std::ranges::lower_bound(m_spine.places, begin);
    const auto last = std::ranges::lower_bound(m_spine.places, end);
    return {first, last};
}

std::vector<TaskSignature>
RankAnalysis::SpineOf(size_t begin, size_t end) const
{
    std::vector<TaskSignature> spine;
    for (const size_t place : SpinePlaces(begin, end))
    {
        spine.push_back(m_signatures[place]);
    }
    return spine;
}

/// Past the collectives at `begin` that are no gathers for what follows.
size_t
RankAnalysis::SkipCalls(size_t begin, size_t end) const
{
    while (begin < end && IsCollectiveTask(NodeAt(begin)) && !IsGather(begin))
    {
        ++begin;
    }
    return begin;
}

/// Back over the gathers before `end`, which are for what follows.
size_t
RankAnalysis::TakeGathers(size_t begin, size_t end) const
{
    while (end > begin && IsGather(end - 1))
    {
        --end;
    }
    return end;
}

/// Where what belongs before the first known pass of a direction begins again, at the end.
size_t
RankAnalysis::SplitByKnownBegin(size_t begin, size_t end, bool isForward) const
{
    const auto known = std::ranges::find(m_passes, isForward, &BoundPass::isForward);
    if (known == m_passes.end())
    {
        return TakeGathers(begin, end);
    }
    const std::vector<size_t> places = SpinePlaces(begin, end);
    // Order: DealBetween goes from the first pass to the last one, so earlier passes have their
    // `begin` by now.
    const auto before = SpineOf(known->begin, known->layers.front().begin);
    size_t same = 0;
    while (same < std::min(places.size(), before.size()) &&
           m_signatures[places[places.size() - 1 - same]] == before[before.size() - 1 - same])
    {
        ++same;
    }
    return TakeGathers(begin, same == 0 ? end : places[places.size() - same]);
}

/// Between a forward and a backward pass, of what the head is: by name, or where a third of the
/// work is done.
size_t
RankAnalysis::SplitByDirection(size_t begin, size_t end) const
{
    uint64_t all = 0;
    for (size_t at = begin; at < end; ++at)
    {
        if (IsBackwardAt(at))
        {
            return TakeGathers(begin, at);
        }
        all += WorkOf(at);
    }
    uint64_t done = 0;
    for (size_t at = begin; at < end; ++at)
    {
        done += WorkOf(at);
        // A head costs about twice as much backward as forward. Two sevenths are a little less than
        // a third, which leaves room for heads that cost up to 2.5 times as much backward.
        if (WorkOf(at) > 0 && 7 * done >= 2 * all)
        {
            return SkipCalls(at + 1, end);
        }
    }
    return end;
}

/// Where the tasks between two passes of one iteration stop to be of the first.
size_t
RankAnalysis::FindSplit(size_t begin, size_t end, size_t pass) const
{
    std::optional<size_t> receive;
    std::optional<size_t> send;
    for (size_t at = begin; at < end; ++at)
    {
        if (NodeAt(at).type == NodeType::Receive && !receive)
        {
            receive = at;
        }
        if (NodeAt(at).type == NodeType::Send)
        {
            send = at;
        }
    }
    // A pass ends with its send, and the next one begins with its receive. Sums behind the send are
    // still of the pass that ended.
    if (send)
    {
        return SkipCalls(*send + 1, end);
    }
    if (receive)
    {
        return *receive;
    }
    const bool isForward = m_passes[pass].isForward;
    const bool isNextForward = m_passes[pass + 1].isForward;
    // The first pass of a direction has no earlier one with whose begin it could be compared.
    const bool isFirst =
        std::ranges::find(m_passes, isNextForward, &BoundPass::isForward) - m_passes.begin() ==
        static_cast<std::ptrdiff_t>(pass + 1);
    if (isFirst || (isForward && !isNextForward))
    {
        return SplitByDirection(begin, end);
    }
    return SplitByKnownBegin(begin, end, isNextForward);
}

/// Where the next iteration begins among the tasks after a pass; nothing where it does not.
std::optional<size_t>
RankAnalysis::FindNextIteration(size_t begin, size_t end, size_t pass) const
{
    if (!m_order.iterations.empty())
    {
        const int64_t iteration =
            m_order.iterations[m_result.tasks[m_passes[pass].layers.back().begin]];
        for (size_t at = begin; at < end; ++at)
        {
            if (m_order.iterations[m_result.tasks[at]] > iteration)
            {
                return at;
            }
        }
        // No task between the passes is marked as of a later iteration, but the layers that follow
        // may be.
        const size_t next = m_passes[pass + 1].layers.front().begin;
        const bool differs = m_order.iterations[m_result.tasks[next]] > iteration;
        return differs ? std::optional(end) : std::nullopt;
    }
    // Without marks, an iteration ends with the last kernel of its optimizer.
    for (size_t at = end; at-- > begin;)
    {
        if (IsOptimizerAt(at))
        {
            // Behind the optimizer, the next iteration begins with gathers and with what the first
            // forward pass began with.
            return SplitByKnownBegin(at + 1, end, true);
        }
    }
    return std::nullopt;
}

/// How many of the first tasks at `places` are kernels of equal work as those of a list. Kernels of
/// the list that do not fit are passed over, and names are not compared.
size_t
RankAnalysis::CountAlike(const TaskList& list, const std::vector<size_t>& places) const
{
    size_t same = 0;
    for (const uint32_t task : list)
    {
        const ExecutionNode& node = m_graph.Node(task);
        if (IsKernelTask(node) && same < places.size() &&
            node.operations == NodeAt(places[same]).operations &&
            node.size == NodeAt(places[same]).size)
        {
            ++same;
        }
    }
    return same;
}

/// How many tasks of the spine after the last pass of an iteration are still of it: as many as fit
/// an earlier one, or as the first forward pass has kernels before its layers.
size_t
RankAnalysis::CountSpineOfLast(size_t begin, size_t end, size_t pass) const
{
    const std::vector<size_t> places = SpinePlaces(begin, end);
    for (size_t at = places.size(); at-- > 0;)
    {
        if (NodeAt(places[at]).type == NodeType::Send)
        {
            return at + 1;
        }
    }
    // Passes of other chunks end otherwise.
    std::optional<size_t> same;
    for (size_t earlier = 0; earlier < pass; ++earlier)
    {
        if (!m_passes[earlier].isForward)
        {
            same = std::max(same.value_or(0), CountAlike(m_result.passes[earlier].after, places));
        }
    }
    if (same)
    {
        return *same;
    }
    // No earlier backward pass shows the end. What a forward pass has before its layers, such as an
    // embedding, a backward pass has behind them.
    const BoundPass& first = m_passes.front();
    const size_t atFront = SpinePlaces(first.begin, first.layers.front().begin).size();
    // The optimizer has at least one kernel, where there is one.
    const size_t ofOptimizer = places.empty() || StoresInLayers(pass) ? 0 : 1;
    return std::min(atFront, places.size() - ofOptimizer);
}

/// Whether a pass stores something in its layers: the gradients of parameters that lie in memory,
/// where they are updated too.
bool
RankAnalysis::StoresInLayers(size_t pass) const
{
    const auto& layers = m_passes[pass].layers;
    const auto isStore = [this](size_t at) { return NodeAt(at).type == NodeType::MemoryStore; };
    const auto range = std::views::iota(layers.front().begin, layers.back().end);
    return std::ranges::any_of(range, isStore);
}

/// Behind the sums of gradients at the end of a pass that earlier ones end with too, as where the
/// gradients of each micro-batch are summed.
size_t
RankAnalysis::SkipSumsOfEarlier(size_t begin, size_t end, size_t pass) const
{
    size_t most = 0;
    for (size_t earlier = 0; earlier < pass; ++earlier)
    {
        const TaskList& after = m_result.passes[earlier].after;
        if (m_passes[earlier].isForward)
        {
            continue;
        }
        size_t sums = 0; // at the end of the list
        while (sums < after.size() &&
               m_graph.Node(after[after.size() - 1 - sums]).type == NodeType::Collective)
        {
            ++sums;
        }
        size_t same = 0;
        while (same < sums && begin + same < end &&
               AreEqualCalls(m_graph.Node(after[after.size() - sums + same]), NodeAt(begin + same)))
        {
            ++same;
        }
        // All sums of the earlier pass must be there again: if only some of them are, they may be
        // what the optimizer begins with.
        most = std::max(most, same == sums ? same : 0);
    }
    return begin + most;
}

/// Deals what stands behind the last pass of an iteration. The pass gets what still belongs to its
/// end, and the sums of gradients that earlier passes end with too; the rest is the optimizer.
void
RankAnalysis::DealAfterLast(size_t begin, size_t end, size_t pass)
{
    // An optimizer only follows backward passes.
    if (m_passes[pass].isForward)
    {
        Append(m_result.passes[pass].after, begin, end);
        return;
    }
    const size_t count = CountSpineOfLast(begin, end, pass);
    const size_t spineEnd = count == 0 ? begin : SpinePlaces(begin, end)[count - 1] + 1;
    // Parameters that lie in memory are updated there, so no optimizer follows.
    const bool isAll = StoresInLayers(pass) && count == SpinePlaces(begin, end).size();
    const size_t behindSums = count == 0 ? begin : SkipSumsOfEarlier(spineEnd, end, pass);
    const size_t split = isAll ? end : behindSums;
    Append(m_result.passes[pass].after, begin, split);
    Append(m_result.optimizer, split, end);
}

/// Deals what stands between a pass and the next one. Within an iteration, the end of the one is
/// followed by the begin of the other. Where the next pass is of another iteration, the optimizer
/// stands between the two.
void
RankAnalysis::DealBetween(size_t pass)
{
    const size_t begin = m_passes[pass].layers.back().end;
    const size_t end = m_passes[pass + 1].layers.front().begin;
    size_t split = 0;
    m_result.passes[pass + 1].iteration = m_result.passes[pass].iteration;
    if (const auto next = FindNextIteration(begin, end, pass))
    {
        ++m_result.passes[pass + 1].iteration;
        split = *next;
        DealAfterLast(begin, split, pass);
    }
    else
    {
        split = FindSplit(begin, end, pass);
        Append(m_result.passes[pass].after, begin, split);
    }
    // SplitByKnownBegin may compare later passes with the begin of this one.
    m_passes[pass + 1].begin = split;
    Append(m_result.passes[pass + 1].before, split, end);
}

/// Deals all tasks that are in no layer, from the first pass to the last, as later cuts are made by
/// what earlier passes got.
void
RankAnalysis::DealRest()
{
    Append(m_result.passes.front().before, 0, m_passes.front().layers.front().begin);
    for (size_t pass = 0; pass + 1 < m_passes.size(); ++pass)
    {
        DealBetween(pass);
    }
    DealAfterLast(m_passes.back().layers.back().end, m_result.tasks.size(), m_passes.size() - 1);
    size_t kernels = 0;
    size_t inLayers = 0;
    for (const uint32_t task : m_result.tasks)
    {
        kernels += IsKernelTask(m_graph.Node(task)) ? 1 : 0;
    }
    std::map<std::pair<int64_t, bool>, uint32_t> microBatches;
    for (LayerRunPass& pass : m_result.passes)
    {
        // A rank alone does not tell its chunks, so all passes of a direction count as
        // micro-batches. StageOrder sets micro-batches and chunks anew where it knows the schedule.
        pass.microBatch = microBatches[{pass.iteration, pass.isForward}]++;
        for (const LayerPass& layer : pass.layers)
        {
            inLayers += static_cast<size_t>(std::ranges::count_if(
                layer.tasks, [this](uint32_t task) { return IsKernelTask(m_graph.Node(task)); }));
        }
    }
    m_result.covered =
        kernels == 0 ? 0 : static_cast<double>(inLayers) / static_cast<double>(kernels);
}

} // namespace nadi
