// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/batcher.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

// A sequence is in one place at a time: m_expected, m_waiting, m_transfers, m_running or m_swaps.
// (m_arriving marks some of m_running.) Those that run have blocks, and only they count against
// maxRequests. Besides them, two kinds of sequences still have blocks: those that are being stored,
// until EndStore; and those that were handed over, which are in no place, until LetGo.
Batcher::Batcher(const BatchingOptions& options, uint64_t blocks)
    : m_options(options)
    , m_blocks(blocks, options.block, options.hasPrefixCache)
{
}

void
Batcher::Enqueue(Sequence& sequence)
{
    NADI_CHECK(Fits(sequence.Wanted()));
    if (const auto expected = std::find(m_expected.begin(), m_expected.end(), &sequence);
        expected != m_expected.end())
    {
        m_expected.erase(expected);
    }
    else
    {
        m_tokensAhead += sequence.TokensAhead();
    }
    m_waiting.push_back(&sequence);
}

std::vector<Sequence*>
Batcher::AdmitComputed()
{
    std::vector<Sequence*> admitted;
    // Those that were preempted come before newcomers.
    while (m_waiting.empty() && m_swaps.Count() == 0 && !m_transfers.empty() &&
           m_running.size() < m_options.maxRequests)
    {
        Sequence& sequence = *m_transfers.front();
        // New blocks for all of it, whatever is in the prefix cache here: all keys and values come
        // from the other replica.
        if (!m_blocks.TryGrow(sequence.Wanted(), sequence.blocks))
        {
            break;
        }
        m_transfers.pop_front();
        m_running.push_back(&sequence);
        m_arriving.push_back(&sequence);
        admitted.push_back(&sequence);
    }
    return admitted;
}

void
Batcher::Arrive(Sequence& sequence)
{
    NADI_CHECK(std::erase(m_arriving, &sequence) == 1);
    m_blocks.Share(sequence.request, sequence.computed, sequence.blocks);
}

void
Batcher::EndStore(Sequence& sequence)
{
    m_blocks.Free(sequence.blocks);
    m_swaps.EndStore(sequence);
}

std::vector<Sequence*>
Batcher::AdmitStored()
{
    std::vector<Sequence*> admitted;
    while (!m_lacksRoom && m_swaps.Next() != nullptr && m_running.size() < m_options.maxRequests)
    {
        Sequence& sequence = *m_swaps.Next();
        if (!m_blocks.TryGrow(sequence.Wanted(), sequence.blocks))
        {
            break;
        }
        m_swaps.RemoveNext();
        m_running.push_back(&sequence);
        m_arriving.push_back(&sequence);
        admitted.push_back(&sequence);
    }
    return admitted;
}

void
Batcher::EndLoad(Sequence& sequence)
{
    NADI_CHECK(std::erase(m_arriving, &sequence) == 1);
}

std::vector<BatchPart>
Batcher::MakeBatch()
{
    std::vector<BatchPart> batch;
    uint64_t budget = m_options.maxTokens;
    m_hasPreempted = false;
    m_lacksRoom = false;
    ScheduleRunning(batch, budget);
    // A newcomer would take blocks that somebody who was admitted before lacks.
    if (!m_hasPreempted && m_swaps.Count() == 0)
    {
        ScheduleWaiting(batch, budget);
    }
    return batch;
}

void
Batcher::ScheduleRunning(std::vector<BatchPart>& batch, uint64_t& budget)
{
    for (size_t i = 0; i < m_running.size() && budget > 0; ++i)
    {
        Sequence& sequence = *m_running[i];
        if (sequence.scheduled > 0 || IsArriving(sequence))
        {
            continue;
        }
        const uint64_t tokens = std::min(sequence.Wanted() - sequence.computed, budget);
        if (MakeRoom(sequence, sequence.computed + tokens))
        {
            batch.push_back(Schedule(sequence, tokens));
            budget -= tokens;
            continue;
        }
        // It went itself, as the last one that could; or it waits until another one is stored.
        if (i == m_running.size() || m_running[i] != &sequence)
        {
            break;
        }
        m_lacksRoom = true;
    }
}

/// Preempts from the tail until `sequence` has blocks for `tokens`; false: it went itself, or there
/// will be room only when the one preempted is stored.
bool
Batcher::MakeRoom(Sequence& sequence, uint64_t tokens)
{
    while (!m_blocks.TryGrow(tokens, sequence.blocks))
    {
        const bool isSwapping = m_options.preemption == Preemption::Swap;
        if (isSwapping && m_swaps.IsStoring())
        {
            return false;
        }
        Sequence& victim = FindVictim();
        Preempt(victim);
        if (isSwapping || &victim == &sequence)
        {
            return false;
        }
    }
    return true;
}

bool
Batcher::IsArriving(const Sequence& sequence) const
{
    return std::find(m_arriving.begin(), m_arriving.end(), &sequence) != m_arriving.end();
}

/// The last one that is neither in a batch nor arriving; those keep their blocks.
/// Requires: there is one.
Sequence&
Batcher::FindVictim() const
{
    const auto last = std::find_if(m_running.rbegin(),
                                   m_running.rend(),
                                   [&](const Sequence* running)
                                   { return running->scheduled == 0 && !IsArriving(*running); });
    NADI_CHECK(last != m_running.rend());
    return **last;
}

void
Batcher::Preempt(Sequence& sequence)
{
    std::erase(m_running, &sequence);
    ++sequence.preemptions;
    m_hasPreempted = true;
    if (m_options.preemption == Preemption::Swap)
    {
        return m_swaps.Add(sequence);
    }
    m_blocks.Free(sequence.blocks);
    m_tokensAhead += sequence.computed;
    sequence.computed = 0;
    m_waiting.push_front(&sequence);
}

void
Batcher::ScheduleWaiting(std::vector<BatchPart>& batch, uint64_t& budget)
{
    while (!m_waiting.empty() && budget > 0 && m_running.size() < m_options.maxRequests)
    {
        Sequence& sequence = *m_waiting.front();
        const uint64_t cached = m_blocks.CachedTokens(sequence.request);
        uint64_t tokens = sequence.Wanted() - cached;
        if (tokens > budget)
        {
            if (m_options.hasChunkedPrefill)
            {
                tokens = budget;
            }
            else if (!batch.empty())
            {
                return;
            }
        }
        // The queue keeps its order: a shorter sequence further back does not overtake.
        if (!m_blocks.TryBegin(sequence.request, cached + tokens, sequence.blocks))
        {
            return;
        }
        m_waiting.pop_front();
        m_running.push_back(&sequence);
        // So far nothing was computed: what was before a preemption is lost.
        sequence.computed = cached;
        m_tokensAhead -= cached;
        m_cachedTokens += cached;
        batch.push_back(Schedule(sequence, tokens));
        // A prompt that is computed whole may exceed the budget.
        budget -= std::min(tokens, budget);
    }
}

/// A sequence in a batch is not preempted before the batch ends, so what is shared will be there.
BatchPart
Batcher::Schedule(Sequence& sequence, uint64_t tokens)
{
    sequence.scheduled = tokens;
    // Only tokens of prompts have names by which others can find them.
    m_blocks.Share(sequence.request,
                   std::min(sequence.computed + tokens, sequence.request.input),
                   sequence.blocks);
    return {.sequence = &sequence,
            .tokens = tokens,
            .context = sequence.computed,
            .makesToken = sequence.computed + tokens == sequence.Wanted()};
}

void
Batcher::Complete(const std::vector<BatchPart>& batch)
{
    for (const BatchPart& part : batch)
    {
        Sequence& sequence = *part.sequence;
        sequence.computed += part.tokens;
        sequence.scheduled = 0;
        sequence.generated += part.makesToken ? 1 : 0;
        m_tokensAhead -= part.tokens;
        m_tokensAhead += part.makesToken ? 1 : 0;
        if (sequence.generated == sequence.request.output)
        {
            Leave(sequence);
            m_blocks.Free(sequence.blocks);
        }
    }
}

void
Batcher::HandOver(Sequence& sequence)
{
    NADI_CHECK(sequence.scheduled == 0);
    Leave(sequence);
}

void
Batcher::Leave(Sequence& sequence)
{
    NADI_CHECK(std::erase(m_running, &sequence) == 1);
    m_tokensAhead -= sequence.TokensAhead();
}

} // namespace nadi
