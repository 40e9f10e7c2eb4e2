// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/models/forward-model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// A kernel of a forward pass.
struct ForwardKernel
{
    const char* name = "";
    Work work;
};

/// What the kernels of a forward pass cost on one rank. A product of matrices counts 2 operations
/// for each multiplication; what works element by element is taken to be fused and free.
///
/// The core of the attention takes 2 operations for each pair of a token and one that it attends
/// to, and each number of a key and of a value, in each head; it reads queries and the cache, and
/// writes outputs. Latent attention computes keys and values of all heads in prefill, also those of
/// tokens that are in the cache, and the core reads these; in decode it works on the latent vectors
/// themselves, which all heads read together (DeepSeek-AI, "DeepSeek-V2", arXiv 2405.04434, section
/// 2.1.2).
class ForwardCosts
{
  public:
    /// `part`: what the rank holds of each layer, one of ForwardModel::Parts. Both outlive it.
    ForwardCosts(const ForwardModel& model, const TransformerShape& part)
        : m_model(model)
        , m_part(part)
    {
    }

    ForwardKernel Embedding(const PassBatch& batch) const;
    ForwardKernel Projections(const PassBatch& batch) const; ///< of the attention, in and out
    ForwardKernel AttentionCore(const PassBatch& batch) const;
    ForwardKernel Mlp(const PassBatch& batch) const;
    ForwardKernel Router(const PassBatch& batch) const;
    ForwardKernel SharedExperts(const PassBatch& batch) const;
    ForwardKernel Experts(const ExpertLoad& load) const;
    ForwardKernel Head(const PassBatch& batch) const;

    uint64_t ActivationBytes(const PassBatch& batch) const; ///< tokens x hidden

  private:
    MatrixProduct UpFromLatent(uint64_t tokens) const; ///< to keys and values of all heads
    Work KeysAndValues(const PassBatch& batch) const;  ///< of latent attention
    Work AbsorbedProducts(uint64_t tokens) const;
    Work PrefillCore(const PassBatch& batch) const;
    Work DecodeCore(const PassBatch& batch) const;
    MlpProduct MlpOf(uint64_t tokens, uint64_t width) const;
    MatrixProduct Product(uint64_t rows, uint64_t in, uint64_t out) const;

    const ForwardModel& m_model;
    const TransformerShape& m_part;
};

/// Indices of the groups that a forward pass calls.
enum class PassGroup : uint32_t
{
    All,
    Tensor, ///< "tp": the ranks of a replica and stage
    Expert, ///< "ep": those that share the experts of a stage
};

/// What one rank sends to the experts of its group in a layer, and what its own compute.
struct ExpertTraffic
{
    uint64_t copies = 0;        ///< of its tokens, over all ranks of the group
    ExpertLoad load = {};       ///< of its experts
    SharedSplits dispatch = {}; ///< bytes to each rank of the group; null: equal parts
    SharedSplits combine = {};  ///< likewise, of results
    uint64_t results = 0;       ///< copies that it sends back
};

/// A part of a forward pass of one replica.
struct PassTask
{
    uint64_t firstLayer = 0; ///< of those written, counted over the model
    uint64_t lastLayer = 0;  ///< one past them
    bool hasEmbedding = false;
    bool hasHead = false;
    SimTime delay = {}; ///< passes between the layers and the head, in place of layers left out
    uint64_t firstLeftOut = 0; ///< of the layers that `delay` stands for
    uint64_t lastLeftOut = 0;  ///< one past them
    /// Whether a milestone with its number tells the end of each layer, those left out included:
    /// these share `delay` evenly.
    bool tellsLayers = false;
    PassBatch batch;
    /// By layer that is written and has experts, in their order. Empty: tokens go to experts
    /// evenly.
    std::vector<ExpertTraffic> routed = {};
    /// Where activations come from at first and go at last: indices of the rank's peers
    /// (Workload::rankOfPeer); none: nowhere.
    std::optional<uint32_t> previousStage = {};
    std::optional<uint32_t> nextStage = {};
};

/// The trace of the task on a rank of part `part`; ranks of one part share it, unless their tokens
/// are routed differently.
///
/// A layer: the attention, an all-reduce of its outputs; the MLP, or router, dispatch, experts and
/// combine beside the shared experts; an all-reduce of these outputs. With experts on several
/// ranks, each rank of a tensor group routes its part of the tokens.
///
/// A replica without tokens takes part in the exchanges alone. Groups: those of PassGroup, in that
/// order. Sizes in bytes.
ExecutionGraph
MakeForwardPass(const ForwardModel& model, const TransformerShape& part, const PassTask& task);

} // namespace nadi
