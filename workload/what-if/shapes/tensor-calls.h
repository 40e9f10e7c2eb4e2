// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/shapes/block-edges.h"
#include "workload/what-if/shapes/draft-changes.h"
#include "workload/what-if/shapes/product-bytes.h"
#include "workload/what-if/shapes/shape-target.h"
#include "workload/what-if/shapes/task-meaning.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// The graph of one rank, with other communication in its tensor group.
struct TensorCallChange
{
    TensorModes modes;
    ShapeSizes part = {}; ///< of the model, as recorded
    ByteCounting byteCounting = {};
};

/// Takes the calls of the tensor group out of a graph and puts others in, so that blocks have them
/// as sequence parallelism or its absence demands (Shoeybi et al., arXiv 1909.08053; Korthikanti et
/// al., arXiv 2205.05198):
///
/// * Summed: what attention, MLPs, experts and the embedding give out is summed forward, the
///   gradients of what those and the head take in are summed backward.
/// * Scattered: what they take in is gathered before, what they give out is summed and scattered.
///   Backward the gradients of outputs are gathered before the gradients of the block, and then the
///   inputs once more, but for those of experts; the gradients of inputs are summed and scattered.
/// * Alone: nothing. With calls the loss of a vocabulary that is cut sums three numbers of four
///   bytes for each token: their maximum, the sum of exponentials, and the target.
///
/// Where a block has a task for each kernel, what it takes in is gathered before the first product
/// that the hidden width enters, so behind a norm, and what it gives out is summed behind the
/// product by which that leaves. Backward both gathers stand before the first product of a block;
/// the gradient of inputs is summed behind the last product that makes it. The first gradient of
/// weights waits for both gathers, as later ones of a block wait for it.
///
/// What tasks wait for is kept (BlockEdges). Kernels between blocks work on all tokens, or on a
/// rank's part of them.
///
/// Throws ConfigError where the products of a block do not tell that (BlockPhases).
class TensorCalls
{
  public:
    /// `group`: the number of the tensor group in the graph. The references outlive it.
    TensorCalls(const ExecutionGraph& graph,
                const RankStructure& rank,
                const RankMeaning& meaning,
                const TensorCallChange& change,
                uint32_t group);

    /// Sizes are those of `change.part`, for new calls too.
    std::vector<DraftTask> Run();

  private:
    void CheckOrder() const;
    void FindStream();
    void Write(uint32_t node);
    void SetMessage(DraftTask& task) const;
    void SetRegion(TaskMeaning& task) const;
    void WriteInputs(uint32_t node, std::vector<uint32_t>& parents);
    void WriteForwardInputs(uint32_t node, std::vector<uint32_t>& parents);
    void WriteGathers(uint32_t node);
    std::vector<uint32_t> BackwardInputs(uint32_t node) const;
    void WriteSum(uint32_t node);
    void WriteLoss(uint32_t node);
    uint32_t AddCall(const std::string& name,
                     CollectiveType type,
                     AmountKind amount,
                     const std::vector<uint32_t>& parents,
                     uint32_t beside);
    std::vector<uint32_t> Resolve(const BlockEdges::Edges& edges) const;
    BlockEdges::Edges Accumulated(uint32_t node) const;
    const BlockWork* WorkOf(uint32_t node) const;
    bool IsRouted(uint32_t node) const;

    const ExecutionGraph& m_graph;
    const RankMeaning& m_meaning;
    TensorCallChange m_change;
    uint32_t m_group;
    uint64_t m_elementBytes = 2;
    uint32_t m_stream = 0;
    BlockPhases m_phases;
    BlockEdges m_edges;
    std::vector<uint32_t> m_drafts;  ///< by node: its own draft
    std::vector<uint32_t> m_results; ///< by node: what gives out its result

    /// A gather, or what stands for it, and what that waits for.
    struct Gather
    {
        BlockEdges::Edges after;
        std::vector<uint32_t> drafts;

        bool WaitsFor(const BlockEdges::Edge& edge) const
        {
            return std::ranges::find(after, edge) != after.end();
        }
    };

    Gather m_inputs;  ///< of the last block
    Gather m_outputs; ///< of the last block backward: of the gradient of its outputs
    std::vector<DraftTask> m_new;
};

} // namespace nadi
