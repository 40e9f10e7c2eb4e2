// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/kv-blocks.h"
#include "workload/serving/sequence.h"
#include "workload/serving/swap-queue.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace nadi
{

/// What becomes of a sequence that another one needs the blocks of.
enum class Preemption : uint8_t
{
    Recompute, ///< its keys and values are dropped, and computed again
    Swap,      ///< they go to remote memory, and come back
};

/// How a replica makes batches; `workload.serve.batching`.
struct BatchingOptions
{
    uint64_t maxTokens = 2048;
    uint64_t maxRequests = 128;
    bool hasChunkedPrefill = true;
    uint64_t block = 16; ///< tokens
    bool hasPrefixCache = false;
    Preemption preemption = Preemption::Recompute;

    bool operator==(const BatchingOptions&) const = default;
};

/// Continuous batching of one replica, as vLLM V1 does it: its queue, its budget of tokens, its KV
/// blocks.
///
/// A batch takes the running sequences first, in the order of their admission: of each what it
/// wants, a token in decode, the rest of its prompt in prefill, as far as the budget goes. Where
/// no block is left, the sequence that was admitted last loses its blocks and goes to the head of
/// the queue, to be computed again; if that is the sequence itself, no other is looked at. Only if
/// nobody was preempted, waiting sequences are admitted in order, while there are budget, places
/// and blocks: admission never preempts. Without chunked prefill a prompt that exceeds the budget
/// ends the admission, unless the batch is empty: then it is computed whole.
///
/// With Preemption::Swap a preempted sequence keeps what it has computed. Its blocks are free when
/// its keys and values are stored; meanwhile those without room are passed over, and nobody else is
/// preempted. It comes back before others are admitted, when there is room for it and nobody who
/// runs lacks any.
///
/// With the prefix cache, blocks of a prompt can be shared as soon as a batch is to fill them:
/// those who are admitted to the same batch find them, as they read what the batch computes of each
/// layer before (vLLM, KVCacheManager.allocate_slots).
///
/// Sequences belong to the caller, and stay where they are. A sequence is in one batch at a time;
/// where several batches are under way (pipelines), the others pass it over.
class Batcher
{
  public:
    Batcher(const BatchingOptions& options, uint64_t blocks);

    /// The sequence will be enqueued when another replica has room for it; until then it counts as
    /// waiting, and nothing else.
    void Expect(Sequence& sequence)
    {
        m_expected.push_back(&sequence);
        m_tokensAhead += sequence.TokensAhead();
    }

    /// The sequence waits for its admission. Requires: Fits(sequence.Wanted()).
    void Enqueue(Sequence& sequence);

    /// The same for a sequence whose prompt was computed elsewhere, and whose first token was made
    /// there: it waits for room.
    void EnqueueComputed(Sequence& sequence)
    {
        // The first token of the answer was made elsewhere, but its own keys and values were not:
        // they come with the first step here.
        sequence.computed = sequence.request.input;
        m_transfers.push_back(&sequence);
        m_tokensAhead += sequence.TokensAhead();
    }

    /// Those of EnqueueComputed for which there is room now, in order: they have their blocks, and
    /// are passed over until Arrive.
    std::vector<Sequence*> AdmitComputed();

    /// The keys and values of the prompt are here.
    void Arrive(Sequence& sequence);

    /// Those that were preempted since the last call, and are to be stored. With Preemption::Swap.
    std::vector<Sequence*> TakePreempted()
    {
        return m_swaps.TakeNew();
    }

    /// Its keys and values are stored: its blocks are free.
    void EndStore(Sequence& sequence);

    /// Stored sequences for which there is room now, in order: they have their blocks, and are
    /// passed over until EndLoad.
    std::vector<Sequence*> AdmitStored();

    /// Its keys and values are back.
    void EndLoad(Sequence& sequence);

    /// The next batch; empty: there is nothing to do now.
    std::vector<BatchPart> MakeBatch();

    /// A batch has ended: its sequences have computed their tokens, and where these were all that
    /// was wanted have one more token of their answer. Sequences with all tokens of their answer
    /// leave the replica; their blocks are free.
    void Complete(const std::vector<BatchPart>& batch);

    /// A running sequence leaves, and its blocks with it only when they are let go: its prompt is
    /// computed, and another replica goes on.
    void HandOver(Sequence& sequence);

    /// The blocks of a sequence that has left.
    void LetGo(Sequence& sequence)
    {
        m_blocks.Free(sequence.blocks);
    }

    /// Whether the replica could hold keys and values of so many tokens of a request.
    bool Fits(uint64_t tokens) const
    {
        return m_blocks.CountFor(tokens) <= m_blocks.Total();
    }

    /// Tokens that are still to be computed for those that wait or run, the tokens of answers
    /// apart, which nobody knows beforehand.
    uint64_t TokensAhead() const
    {
        return m_tokensAhead;
    }

    /// Whether the last call of MakeBatch preempted a sequence. The next one may then go further,
    /// though nothing else has happened.
    bool HasPreempted() const
    {
        return m_hasPreempted;
    }

    uint64_t Waiting() const
    {
        return m_expected.size() + m_waiting.size() + m_transfers.size() + m_swaps.Count();
    }

    uint64_t Running() const
    {
        return m_running.size();
    }

    /// Tokens that were not computed, because the prefix cache had them.
    uint64_t CachedTokens() const
    {
        return m_cachedTokens;
    }

    const KvBlocks& Blocks() const
    {
        return m_blocks;
    }

  private:
    void ScheduleRunning(std::vector<BatchPart>& batch, uint64_t& budget);
    void ScheduleWaiting(std::vector<BatchPart>& batch, uint64_t& budget);
    bool MakeRoom(Sequence& sequence, uint64_t tokens);
    bool IsArriving(const Sequence& sequence) const;
    Sequence& FindVictim() const;
    void Preempt(Sequence& sequence);
    BatchPart Schedule(Sequence& sequence, uint64_t tokens);
    void Leave(Sequence& sequence);

    BatchingOptions m_options;
    KvBlocks m_blocks;
    std::deque<Sequence*> m_expected;
    std::deque<Sequence*> m_waiting;
    std::deque<Sequence*> m_transfers;
    std::vector<Sequence*> m_running;  // in the order of admission
    std::vector<Sequence*> m_arriving; // of m_running: their keys and values are on their way
    SwapQueue m_swaps;
    uint64_t m_tokensAhead = 0; // of all in these places; kept, since routers ask at each arrival
    uint64_t m_cachedTokens = 0;
    bool m_hasPreempted = false; // in the last batch, a sequence
    bool m_lacksRoom = false;    // a sequence was passed over for want of blocks
};

} // namespace nadi
