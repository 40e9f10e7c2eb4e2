// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/generated-graph.h"
#include "workload/models/transformer-job.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// A part of a layer that tensor parallelism surrounds with communication, on one rank for one
/// micro-batch. Sizes are of whole activations, before they are cut over the tensor group.
struct TransformerBlock
{
    std::string name;
    Work forward;
    Work inputGradient; ///< no operations: there is none
    Work weightGradient;
    uint64_t gatheredBytes = 0;   ///< what it takes in from the tensor group; 0: nothing
    bool keepsGathered = false;   ///< that is kept for the backward pass, and not gathered again
    uint64_t reducedBytes = 0;    ///< what it gives out to be summed there; 0: nothing
    uint64_t dispatchedBytes = 0; ///< all-to-all before and after, over the expert group
    Work core;                    ///< the part of `forward` that runs round by round in a ring
    Work coreGradient;            ///< the part of `inputGradient` that does
    uint64_t ringBytes = 0;       ///< keys and values that go around the context group
};

/// What the parts of a transformer cost on one rank for one micro-batch.
///
/// A product of matrices counts 2 operations for each multiplication, forward; as many again for
/// the gradient of the inputs and of the weights each, the latter written as numbers of the type of
/// gradients. The core of the attention, scores and weighted values over the whole sequence, costs
/// twice as much backward. What works element by element (norms, activations, softmax) is taken to
/// be fused and free.
class TransformerCosts
{
  public:
    /// `local` is what the rank holds of each layer (TransformerParts). Both outlive the costs.
    TransformerCosts(const TransformerJob& job, const TransformerShape& local);

    /// In the order of the forward pass.
    std::vector<TransformerBlock> Layer(uint64_t layer) const;
    TransformerBlock Embedding() const;
    TransformerBlock Head() const;

    /// Parameters that one rank holds: those that every data-parallel rank has, and of experts.
    struct Held
    {
        uint64_t dense = 0;
        uint64_t expert = 0;
    };

    Held LayerParameters(uint64_t layer) const;
    uint64_t EmbeddingParameters() const;
    uint64_t EmbeddingMatrixParameters() const; ///< of the tokens alone
    uint64_t HeadParameters() const;

    /// What a stage sends to the next: the activations of a micro-batch, or its part with sequence
    /// parallelism.
    uint64_t StageBytes() const;

    uint64_t ActivationBytes() const; ///< tokens x hidden

  private:
    TransformerBlock MakeBlock(const std::string& name, const Work& products) const;
    TransformerBlock Attention() const;
    TransformerBlock Mlp(const std::string& name, const MlpProduct& product) const;
    MlpProduct MlpOf(uint64_t width, uint64_t tokens) const;
    Work CoreGradient(const Work& core) const;
    TransformerBlock Router() const;
    TransformerBlock Experts() const;
    MatrixProduct Product(uint64_t rows, uint64_t in, uint64_t out) const;
    Work AttentionProjections() const;
    Work AttentionCore() const;
    uint64_t KeyHeads() const; ///< heads that have keys and values of their own
    uint64_t RoutedTokens() const;

    const TransformerJob& m_job;
    const TransformerShape& m_local;
};

} // namespace nadi
