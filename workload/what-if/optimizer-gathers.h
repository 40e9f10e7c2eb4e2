// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/layer-places.h"

#include <cstdint>
#include <map>
#include <optional>

namespace nadi
{

/// Parameters that are gathered behind the optimizer (ZeRO 1 and 2), and where the sums of their
/// gradients stand.
///
/// A gather is of the parameters whose gradients were summed on the same group in the last
/// micro-batch (PairGathers).
class OptimizerGathers
{
  public:
    /// The references are not kept. Throws ConfigError where there are more gathers on a group than
    /// sums, or such of other sizes.
    OptimizerGathers(const ExecutionGraph& graph,
                     const RankStructure& rank,
                     const LayerPlaces& places);

    bool Contains(uint32_t node) const
    {
        return m_sums.contains(node);
    }

    /// Of the sum of its gradients; nothing: they are of no layer. Requires: Contains(node).
    const std::optional<LayerPlace>& PlaceOfSum(uint32_t node) const
    {
        return m_sums.at(node);
    }

    /// Those of which the sums are of a layer of a pass, in their order.
    TaskList At(uint32_t pass, uint32_t position) const;

    /// The first gather of a group, where each other one waits for the one before it in the
    /// program, as on one stream of an accelerator; nothing: they are in no such chain.
    std::optional<uint32_t> FirstOfChain(uint32_t group) const;

  private:
    void FindChains(const ExecutionGraph& graph);

    std::map<uint32_t, std::optional<LayerPlace>> m_sums; ///< by gather
    std::map<uint32_t, uint32_t> m_firstOfChain;          ///< by group: those in chains
};

} // namespace nadi
