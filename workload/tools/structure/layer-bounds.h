// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/layer-spans.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace nadi
{

/// The tasks of a layer: places in the list of tasks, the end excluded.
struct LayerBounds
{
    size_t begin = 0;
    size_t end = 0;
    std::optional<uint32_t> number;
    LayerSpan span;
};

/// Deals the collectives between the kernels of two layers to the one before or the one after.
/// What a call itself says, by the number of one of the two layers, decides. Where calls have no
/// numbers, the layers of a pass are made equal: what comes after the last layer of the pass ends
/// each layer, what comes before the first one begins each. Where that does not decide, gathers
/// belong to what follows and all else to what was before. Before the only layer of a pass,
/// all-to-alls belong to what follows too: going backward, a layer with experts begins with one.
///
/// Holds: the layers of a pass follow each other without a gap.
class LayerBoundsFinder
{
  public:
    /// What is known of the call at a place of the list of tasks.
    struct CallFacts
    {
        std::function<bool(size_t place)> isGather;
        std::function<bool(size_t place)> isExchange; ///< an all-to-all
        /// The layer by its scope or name.
        std::function<std::optional<uint32_t>(size_t place)> layerOf;
    };

    /// All outlive the finder.
    LayerBoundsFinder(const TaskSpine& spine,
                      const std::vector<TaskSignature>& signatures,
                      CallFacts facts);

    /// Requires: a pass that is not empty.
    std::vector<LayerBounds> Find(const PassSpans& pass) const;

  private:
    /// Places that follow each other.
    struct Calls
    {
        size_t begin = 0;
        size_t end = 0;

        size_t Size() const
        {
            return end - begin;
        }
    };

    /// How many of the calls between two layers the one behind them may get: the ends are included.
    struct CutRange
    {
        size_t least = 0;
        size_t most = 0;
    };

    Calls Before(size_t spineAt) const; ///< the calls since the task of the spine before
    Calls After(size_t spineAt) const;  ///< those up to the task of the spine after
    size_t SameEnd(Calls left, Calls right) const;
    size_t SameBegin(Calls left, Calls right) const;
    size_t TrailingGathers(Calls calls) const;
    size_t TrailingCallsOfLayer(Calls calls) const;
    CutRange FindNumberedCuts(Calls between, const LayerSpan& before, const LayerSpan& next) const;
    size_t CountOfNext(Calls between, CutRange cuts, Calls first, Calls last) const;
    void SetEnds(const PassSpans& pass, std::vector<LayerBounds>& layers) const;

    const TaskSpine& m_spine;
    const std::vector<TaskSignature>& m_signatures;
    CallFacts m_facts;
};

} // namespace nadi
