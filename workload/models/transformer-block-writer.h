// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/transformer-costs.h"

#include <cstdint>
#include <optional>
#include <string>

namespace nadi
{

/// Writes the passes of blocks: their kernels, and the communication of tensor, expert and context
/// parallelism around them.
///
/// Tensor parallelism (Shoeybi et al., "Megatron-LM", arXiv 1909.08053): an all-reduce of the
/// outputs forward, of the gradients of the inputs backward. With sequence parallelism (Korthikanti
/// et al., "Reducing activation recomputation in large transformer models", arXiv 2205.05198):
/// an all-gather of the inputs and a reduce-scatter of the outputs forward; backward the mirror of
/// it, and the inputs are gathered once more for the gradient of the weights, once the gradient of
/// the outputs is there.
///
/// Experts: an all-to-all of the routed tokens before and after, in both passes. The tokens that
/// they get are kept, so they are not gathered again.
///
/// Context parallelism (Liu et al., "Ring attention", arXiv 2310.01889): keys and values go around
/// a ring while the rounds of the core are computed; backward their gradients go around too.
class TransformerBlockWriter
{
  public:
    using Ids = GeneratedGraph::Ids;
    using Id = GeneratedGraph::Id;

    /// Indices of a rank's peers in Workload::rankOfPeer.
    enum Peer : uint32_t
    {
        NEXT_STAGE,
        PREVIOUS_STAGE,
        NEXT_CONTEXT,
        PREVIOUS_CONTEXT,
    };

    /// Both outlive the writer.
    TransformerBlockWriter(const TransformerJob& job, GeneratedGraph& graph);

    /// After `after`; returns what the next block waits for.
    Ids WriteForward(const TransformerBlock& block, const std::string& name, Ids after);

    struct Gradients
    {
        Ids input;     ///< what the block before waits for
        Id weight = 0; ///< the kernel that computes the gradient of the weights
    };

    /// `accumulated`: the gradient of the weights of the micro-batch before, which this one adds
    /// to.
    Gradients WriteBackward(const TransformerBlock& block,
                            const std::string& name,
                            const Ids& after,
                            std::optional<Id> accumulated);

    /// A kernel; remembered as the last one.
    Id AddKernel(const std::string& name, const Work& work, const Ids& after);

    /// The kernel that was added last.
    std::optional<Id> LastKernel() const
    {
        return m_lastKernel;
    }

    /// A tag that no other message of the stage has.
    uint64_t NextTag()
    {
        return m_nextTag++;
    }

  private:
    Id
    AddTensorCall(const std::string& name, CollectiveType type, uint64_t bytes, const Ids& after);
    Ids Gather(const std::string& name, uint64_t bytes, const Ids& after);
    Ids Reduce(const std::string& name, uint64_t bytes, const Ids& after);
    Ids Dispatch(const std::string& name, uint64_t bytes, const Ids& after);
    Ids WriteRing(const TransformerBlock& block, const std::string& name, const Ids& after);
    Ids WriteRingBackward(const TransformerBlock& block, const std::string& name, const Ids& after);
    Id PassOn(const std::string& name, uint64_t bytes, const Ids& after);
    bool HasRing(const TransformerBlock& block) const;

    const TransformerJob& m_job;
    GeneratedGraph& m_graph;
    std::optional<Id> m_lastKernel;
    uint64_t m_nextTag = 0;
};

} // namespace nadi
