// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/shapes/block-phases.h"
#include "workload/what-if/shapes/draft-changes.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// The drafts of a rank without the all-to-alls around experts: what waited for one waits for what
/// that one waited for.
std::vector<DraftTask> RemoveExchanges(std::vector<DraftTask> drafts);

/// Puts all-to-alls around the experts of a rank (Lepikhin et al., arXiv 2006.16668): before the
/// first product of theirs, and before what their tensor group gathers for it, tokens are
/// dispatched; behind the last product, or the sum of it, they are combined. Backward the
/// gradients of outputs and of inputs go the same ways: a combine gradient before the first
/// product, a dispatch gradient behind the gradient of inputs.
///
/// What waited for the result of the experts in the same pass waits for the all-to-all behind
/// them, but for the gradients of their own weights; tasks of other passes wait for the kernel,
/// whose turn it is. Gradients of weights wait for the combine gradient besides, unless they wait
/// for what was gathered.
class ExpertExchanges
{
  public:
    /// What is put in. `size` is that of the recorded part of the model.
    struct Call
    {
        uint32_t group = 0; ///< of the ranks that share experts
        uint64_t size = 0;
    };

    /// The references outlive it.
    ExpertExchanges(const ExecutionGraph& graph,
                    const BlockPhases& phases,
                    const Call& call,
                    std::vector<DraftTask> drafts);

    /// Throws ConfigError where the products of experts do not tell where they would stand.
    std::vector<DraftTask> Run();

  private:
    void PutBefore(uint32_t draft);
    void PutBehind(uint32_t draft);
    bool BeginsPhase(uint32_t draft) const;
    void AwaitBesides(uint32_t first, const std::vector<uint32_t>& awaited, uint32_t call);
    std::vector<uint32_t> WithoutAccumulated(uint32_t draft) const;
    uint32_t EntryOf(uint32_t draft) const;
    uint32_t ResultOf(uint32_t draft) const;
    std::vector<uint32_t> ChildrenOf(const std::vector<uint32_t>& parents) const;
    void AwaitNext(uint32_t draft, uint32_t call);
    bool IsSamePass(uint32_t one, uint32_t other) const;
    bool IsSameBlock(uint32_t one, uint32_t other) const;
    bool IsOwnWeight(uint32_t draft, uint32_t other) const;
    std::string NameFor(uint32_t draft, const char* forward, const char* backward) const;
    DraftTask MakeCall(uint32_t draft, std::string name, std::vector<uint32_t> parents) const;
    void Note(uint32_t draft);
    void Replace(uint32_t child, uint32_t parent, uint32_t call);

    const ExecutionGraph& m_graph;
    const BlockPhases& m_phases;
    Call m_call;
    DraftChanges m_drafts;
    uint32_t m_count;                              ///< of drafts before anything is put in
    std::vector<std::vector<uint32_t>> m_children; ///< by draft, as they were; calls besides
};

} // namespace nadi
