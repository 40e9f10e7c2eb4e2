// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/layer-bounds.h"

#include <algorithm>
#include <utility>

namespace nadi
{

LayerBoundsFinder::LayerBoundsFinder(const TaskSpine& spine,
                                     const std::vector<TaskSignature>& signatures,
                                     CallFacts facts)
    : m_spine(spine)
    , m_signatures(signatures)
    , m_facts(std::move(facts))
{
}

/// Between two tasks of the spine stand collectives and accesses to memory alone.
LayerBoundsFinder::Calls
LayerBoundsFinder::Before(size_t spineAt) const
{
    return {spineAt == 0 ? 0 : m_spine.places[spineAt - 1] + 1, m_spine.places[spineAt]};
}

LayerBoundsFinder::Calls
LayerBoundsFinder::After(size_t spineAt) const
{
    const bool isLast = spineAt + 1 == m_spine.places.size();
    return {m_spine.places[spineAt] + 1,
            isLast ? m_signatures.size() : m_spine.places[spineAt + 1]};
}

/// How many calls at the ends of both are equal.
size_t
LayerBoundsFinder::SameEnd(Calls left, Calls right) const
{
    size_t count = 0;
    while (count < std::min(left.Size(), right.Size()) &&
           m_signatures[left.end - 1 - count] == m_signatures[right.end - 1 - count])
    {
        ++count;
    }
    return count;
}

/// How many calls at the begins of both are equal.
size_t
LayerBoundsFinder::SameBegin(Calls left, Calls right) const
{
    size_t count = 0;
    while (count < std::min(left.Size(), right.Size()) &&
           m_signatures[left.begin + count] == m_signatures[right.begin + count])
    {
        ++count;
    }
    return count;
}

/// Gathers at the end bring the parameters of what follows.
size_t
LayerBoundsFinder::TrailingGathers(Calls calls) const
{
    size_t count = 0;
    while (count < calls.Size() && m_facts.isGather(calls.end - 1 - count))
    {
        ++count;
    }
    return count;
}

/// Those before the only layer of a pass that are of it.
size_t
LayerBoundsFinder::TrailingCallsOfLayer(Calls calls) const
{
    size_t count = 0;
    while (count < calls.Size() &&
           (m_facts.isGather(calls.end - 1 - count) || m_facts.isExchange(calls.end - 1 - count)))
    {
        ++count;
    }
    return count;
}

/// The cuts behind all calls that say to be of the layer before, and before all of the next one.
/// Where these are mixed, calls were made ahead or late, and numbers do not tell where to cut.
LayerBoundsFinder::CutRange
LayerBoundsFinder::FindNumberedCuts(Calls between,
                                    const LayerSpan& before,
                                    const LayerSpan& next) const
{
    const CutRange all{.least = 0, .most = between.Size()};
    if (!before.number || !next.number)
    {
        return all;
    }
    CutRange cuts = all;
    for (size_t place = between.begin; place < between.end; ++place)
    {
        const std::optional<uint32_t> layer = m_facts.layerOf(place);
        if (layer == before.number)
        {
            cuts.most = between.end - place - 1;
        }
        else if (layer == next.number)
        {
            cuts.least = std::max(cuts.least, between.end - place);
        }
    }
    return cuts.least <= cuts.most ? cuts : all;
}

/// How many of the calls between two layers, the last ones, are of the layer behind them.
size_t
LayerBoundsFinder::CountOfNext(Calls between, CutRange cuts, Calls first, Calls last) const
{
    // Each way to cut is rated by how many calls fit: those that the next layer gets should end
    // like the calls before the first layer, which begin that one; those that the layer before gets
    // should begin like the calls behind the last layer, which end that one. Of equal ratings the
    // cut before the trailing gathers stays, where the search begins.
    const size_t sameEnd = SameEnd(between, first);
    const size_t sameBegin = SameBegin(between, last);
    const auto agreement = [&](size_t ofNext)
    { return std::min(ofNext, sameEnd) + std::min(between.Size() - ofNext, sameBegin); };
    size_t best = std::clamp(TrailingGathers(between), cuts.least, cuts.most);
    for (size_t ofNext = cuts.least; ofNext <= cuts.most; ++ofNext)
    {
        if (agreement(ofNext) > agreement(best))
        {
            best = ofNext;
        }
    }
    return best;
}

/// Sets where the first layer of a pass begins and the last one ends.
void
LayerBoundsFinder::SetEnds(const PassSpans& pass, std::vector<LayerBounds>& layers) const
{
    const Calls first = Before(pass.front().begin);
    const Calls last = After(pass.back().end - 1);
    size_t ofFirst = TrailingCallsOfLayer(first);
    size_t ofLast = last.Size() - TrailingGathers(last);
    // Outside of the pass there is no other layer to share calls with. The first layer takes the
    // calls before it that the second layer begins with too, and the last layer those behind it
    // that the layer before it ends with too.
    if (pass.size() > 1)
    {
        const size_t cut = layers[1].begin;
        ofFirst = SameEnd(first, {cut, Before(pass[1].begin).end});
        const Calls between = Before(pass.back().begin);
        ofLast = SameBegin(last, {between.begin, layers.back().begin});
    }
    layers.front().begin = first.end - ofFirst;
    layers.back().end = last.begin + ofLast;
}

std::vector<LayerBounds>
LayerBoundsFinder::Find(const PassSpans& pass) const
{
    const Calls first = Before(pass.front().begin);
    const Calls last = After(pass.back().end - 1);
    std::vector<LayerBounds> layers;
    for (const LayerSpan& span : pass)
    {
        const Calls before = Before(span.begin);
        // What the first and the last layer take outside of the pass is decided when the cuts
        // between layers are known (SetEnds).
        size_t begin = before.end;
        if (!layers.empty())
        {
            const CutRange cuts = FindNumberedCuts(before, layers.back().span, span);
            begin -= CountOfNext(before, cuts, first, last);
            layers.back().end = begin;
        }
        layers.push_back({begin, After(span.end - 1).begin, span.number, span});
    }
    SetEnds(pass, layers);
    return layers;
}

} // namespace nadi
