// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/lone-layer.h"

#include "workload/tools/structure/added-gradients.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// Tasks of one direction that follow each other in a visit, and repeat a block.
struct DirectedRun
{
    size_t begin = 0;
    size_t end = 0;
    bool beginsVisit = false;
    bool isBackward = false;
    size_t period = 0; ///< of the shortest block that the run repeats whole

    size_t Repeats() const
    {
        return (end - begin) / period;
    }
};

/// The length of the shortest block that the part repeats a whole number of times, at least twice;
/// else the length of the part.
size_t
FindPeriod(const TaskSpine& spine, size_t begin, size_t end)
{
    const auto first = spine.signatures.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = spine.signatures.begin() + static_cast<std::ptrdiff_t>(end);
    const size_t length = end - begin;
    for (size_t period = 1; 2 * period <= length; ++period)
    {
        const auto shifted = first + static_cast<std::ptrdiff_t>(period);
        if (length % period == 0 && std::equal(shifted, last, first))
        {
            return period;
        }
    }
    return length;
}

/// Where the first kernel of a visit is, or the end of the visit. Messages before that kernel get
/// its direction, as no kernel stands before them.
size_t
FirstKernel(const TaskSpine& spine, const LayerSpan& visit)
{
    size_t at = visit.begin;
    while (at < visit.end && !spine.isKernel[at])
    {
        ++at;
    }
    return at;
}

/// Messages are of the direction of the kernel before them.
std::vector<DirectedRun>
ListRuns(const TaskSpine& spine, const std::vector<LayerSpan>& visits)
{
    std::vector<DirectedRun> runs;
    for (const LayerSpan& visit : visits)
    {
        const size_t first = FirstKernel(spine, visit);
        bool isBackward = first < visit.end && spine.isBackward[first];
        for (size_t at = visit.begin; at < visit.end; ++at)
        {
            const bool isFirst = at == visit.begin;
            const bool turns = spine.isKernel[at] && spine.isBackward[at] != isBackward;
            isBackward = isBackward != turns;
            if (isFirst || turns)
            {
                runs.push_back(
                    {.begin = at, .end = at, .beginsVisit = isFirst, .isBackward = isBackward});
            }
            ++runs.back().end;
        }
    }
    for (DirectedRun& run : runs)
    {
        run.period = FindPeriod(spine, run.begin, run.end);
    }
    return runs;
}

/// Whether all runs of a direction repeat one block.
bool
RepeatOneBlock(const TaskSpine& spine, const std::vector<DirectedRun>& runs, bool isBackward)
{
    const auto isOf = [isBackward](const DirectedRun& run) { return run.isBackward == isBackward; };
    const auto blockOf = [&spine](const DirectedRun& run) {
        return BlockOf(spine, {run.begin, run.begin + run.period, std::nullopt});
    };
    const auto first = std::ranges::find_if(runs, isOf);
    return first != runs.end() &&
           std::ranges::all_of(runs,
                               [&](const DirectedRun& run)
                               { return !isOf(run) || blockOf(run) == blockOf(*first); });
}

/// How many blocks the runs of a direction repeat. Each block is a pass.
size_t
CountRepeats(const std::vector<DirectedRun>& runs, bool isBackward)
{
    size_t repeats = 0;
    for (const DirectedRun& run : runs)
    {
        repeats += run.isBackward == isBackward ? run.Repeats() : 0;
    }
    return repeats;
}

TaskList
TasksOf(const TaskList& tasks, const TaskSpine& spine, size_t begin, size_t end)
{
    TaskList list;
    for (size_t at = begin; at < end; ++at)
    {
        list.push_back(tasks[spine.places[at]]);
    }
    return list;
}

/// Whether each block of a run backward adds its gradients to those of the one before.
bool
AddsUpInRun(const ExecutionGraph& graph,
            const TaskList& tasks,
            const TaskSpine& spine,
            const DirectedRun& run)
{
    // Repeated blocks may also be parts of one layer. Only blocks of different micro-batches add to
    // each other's gradients.
    for (size_t at = run.begin + run.period; at < run.end && run.isBackward; at += run.period)
    {
        const TaskList before = TasksOf(tasks, spine, at - run.period, at);
        if (!AddsUp(graph, before, TasksOf(tasks, spine, at, at + run.period)))
        {
            return false;
        }
    }
    return true;
}

/// Of all blocks but those that begin a visit.
std::vector<size_t>
ListBegins(const std::vector<DirectedRun>& runs)
{
    std::vector<size_t> begins;
    for (const DirectedRun& run : runs)
    {
        // What stands before a visit is in no layer, so a pass begins there without a mark.
        const size_t first = run.begin + (run.beginsVisit ? run.period : 0);
        for (size_t at = first; at < run.end; at += run.period)
        {
            begins.push_back(at);
        }
    }
    return begins;
}

} // namespace

std::vector<size_t>
FindPassesOfLoneLayers(const ExecutionGraph& graph,
                       const TaskList& tasks,
                       const TaskSpine& spine,
                       const std::vector<LayerSpan>& visits)
{
    // A visit is cut where its direction turns, and each part is cut into the blocks that it
    // repeats. A block is one pass. This is believed only if the passes of a direction are alike,
    // and both directions have equally many.
    const std::vector<DirectedRun> runs = ListRuns(spine, visits);
    const auto addsUp = [&](const DirectedRun& run)
    { return AddsUpInRun(graph, tasks, spine, run); };
    const bool areAlike = RepeatOneBlock(spine, runs, false) && RepeatOneBlock(spine, runs, true) &&
                          CountRepeats(runs, false) == CountRepeats(runs, true);
    return areAlike && std::ranges::all_of(runs, addsUp) ? ListBegins(runs) : std::vector<size_t>();
}

} // namespace nadi
