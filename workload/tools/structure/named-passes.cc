// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/named-passes.h"

#include "workload/tools/structure/lone-layer.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

/// Whether no visit goes on with that of another layer. False where there is none.
bool
AreLone(const std::vector<LayerSpan>& visits)
{
    const auto goOn = [](const LayerSpan& one, const LayerSpan& next)
    { return one.end == next.begin; };
    return !visits.empty() && std::ranges::adjacent_find(visits, goOn) == visits.end();
}

/// Tasks of the spine that follow each other and are of one layer.
std::vector<LayerSpan>
ListVisits(const std::vector<std::optional<uint32_t>>& numbers)
{
    std::vector<LayerSpan> visits;
    for (size_t at = 0; at < numbers.size(); ++at)
    {
        if (numbers[at])
        {
            const bool goesOn = at > 0 && numbers[at] == numbers[at - 1];
            if (!goesOn)
            {
                visits.push_back({at, at, numbers[at]});
            }
            visits.back().end = at + 1;
        }
    }
    return visits;
}

/// The first task of a visit that is backward, or its end.
size_t
FirstBackward(const TaskSpine& spine, const LayerSpan& visit)
{
    size_t at = visit.begin;
    while (at < visit.end && !spine.isBackward[at])
    {
        ++at;
    }
    return at;
}

/// Behind the last task of a visit that is backward, or its begin.
size_t
BehindBackward(const TaskSpine& spine, const LayerSpan& visit)
{
    size_t at = visit.end;
    while (at > visit.begin && !spine.isBackward[at - 1])
    {
        --at;
    }
    return at;
}

/// A part of the spine.
bool
HasBackward(const TaskSpine& spine, const PassSpans& pass)
{
    const auto begin = spine.isBackward.begin();
    const auto first = begin + static_cast<std::ptrdiff_t>(pass.front().begin);
    const auto last = begin + static_cast<std::ptrdiff_t>(pass.back().end);
    return std::find(first, last, true) != last;
}

std::set<std::vector<TaskSignature>>
BlocksOf(const TaskSpine& spine, const PassSpans& pass)
{
    std::set<std::vector<TaskSignature>> blocks;
    for (const LayerSpan& span : pass)
    {
        blocks.insert(BlockOf(spine, span));
    }
    return blocks;
}

/// Whether a pass may go on with the next one, but for the numbers of their layers. Where both have
/// equal layers, they are taken for passes of two micro-batches.
bool
MayGoOn(const TaskSpine& spine, const PassSpans& pass, const PassSpans& next)
{
    if (pass.back().end != next.front().begin ||
        HasBackward(spine, pass) != HasBackward(spine, next))
    {
        return false;
    }
    const std::set<std::vector<TaskSignature>> blocks = BlocksOf(spine, pass);
    return std::ranges::none_of(
        next, [&](const LayerSpan& span) { return blocks.contains(BlockOf(spine, span)); });
}

/// Numbers ascend in the order of a forward pass, so a backward pass is numbered from its end.
void
NumberAnew(PassSpans& pass, bool isBackward)
{
    for (size_t place = 0; place < pass.size(); ++place)
    {
        pass[place].number = static_cast<uint32_t>(isBackward ? pass.size() - 1 - place : place);
    }
}

} // namespace

std::vector<bool>
FindTurns(const ExecutionGraph& graph,
          const TaskList& tasks,
          const TaskSpine& spine,
          const std::vector<std::optional<uint32_t>>& numbers)
{
    std::vector<bool> turns(numbers.size());
    const std::vector<LayerSpan> visits = ListVisits(numbers);
    // The numbers of single layers neither rise nor fall, so directions and repeated blocks have to
    // tell.
    if (AreLone(visits))
    {
        for (const size_t begin : FindPassesOfLoneLayers(graph, tasks, spine, visits))
        {
            turns[begin] = true;
        }
        return turns;
    }
    size_t forwardSize = 0; // of the layer before, as far as a pass forward goes through it
    for (size_t i = 0; i < visits.size(); ++i)
    {
        const LayerSpan& visit = visits[i];
        const bool comesNext = i > 0 && visits[i - 1].end == visit.begin;
        const bool hasNext = i + 1 < visits.size() && visits[i + 1].begin == visit.end;
        const bool rises =
            comesNext && visits[i - 1].number < visit.number && !spine.isBackward[visit.begin - 1];
        const bool falls = comesNext && visits[i - 1].number > visit.number;
        const bool risesAfter = hasNext && visits[i + 1].number > visit.number;
        const bool fallsAfter = hasNext && visits[i + 1].number < visit.number;
        size_t turn = visit.begin;
        // The visit holds the last layer of a forward pass, and the same layer as the first one of
        // the backward pass. If the backward pass computes its layers again, it begins with kernels
        // that have no backward name. Then the size of a forward layer tells where.
        if (rises && fallsAfter && FirstBackward(spine, visit) < visit.end)
        {
            turn = std::min(visit.begin + forwardSize, FirstBackward(spine, visit));
        }
        // The visit holds the first layer of the model, at the end of a backward pass and at the
        // begin of the next forward pass.
        if (falls && risesAfter && BehindBackward(spine, visit) < visit.end)
        {
            turn = BehindBackward(spine, visit);
        }
        if (turn > visit.begin)
        {
            turns[turn] = true;
        }
        // Behind a turn that ends a backward pass stands the first layer of the next forward pass.
        forwardSize = visit.end - (falls ? turn : visit.begin);
    }
    return turns;
}

std::vector<PassSpans>
JoinParts(const TaskSpine& spine, std::vector<PassSpans> passes)
{
    std::vector<PassSpans> joined;
    for (size_t begin = 0, end = 0; begin < passes.size(); begin = end)
    {
        bool areEqual = true;
        for (end = begin + 1; end < passes.size() && MayGoOn(spine, passes[end - 1], passes[end]);
             ++end)
        {
            areEqual &= passes[end].size() == passes[begin].size();
        }
        const auto first = passes.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = passes.begin() + static_cast<std::ptrdiff_t>(end);
        // Parts with equally many layers may be passes of several micro-batches, so they are not
        // joined.
        if (areEqual)
        {
            std::move(first, last, std::back_inserter(joined));
            continue;
        }
        PassSpans& whole = joined.emplace_back();
        std::for_each(first,
                      last,
                      [&](const PassSpans& part)
                      { whole.insert(whole.end(), part.begin(), part.end()); });
        NumberAnew(whole, HasBackward(spine, whole));
    }
    return joined;
}

} // namespace nadi
