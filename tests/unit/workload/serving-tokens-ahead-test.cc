// SPDX-License-Identifier: GPL-2.0-only
#include "common/random-numbers.h"
#include "workload/serving/batcher.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <set>
#include <vector>

using namespace nadi;

namespace
{

constexpr uint64_t BLOCKS = 30;

/// A batcher to which anything happens in any order, and a list of the sequences that it has.
class BatcherUnderRandomLoad
{
  public:
    explicit BatcherUnderRandomLoad(uint64_t seed)
        : m_random(seed, RandomPurpose::Values)
        , m_isSwapping(seed % 2 == 0)
        , m_batcher({.maxTokens = 1 + m_random.Below(40),
                     .maxRequests = 4 + m_random.Below(8),
                     .hasChunkedPrefill = m_random.Below(2) == 0,
                     .block = 1 + m_random.Below(2),
                     .hasPrefixCache = m_random.Below(2) == 0,
                     .preemption = m_isSwapping ? Preemption::Swap : Preemption::Recompute},
                    BLOCKS)
    {
    }

    void Step()
    {
        switch (m_random.Below(7))
        {
        case 0:
            return Add();
        case 1:
            return Take(m_expected, [&](Sequence& sequence) { m_batcher.Enqueue(sequence); });
        case 2:
            return Append(m_batcher.AdmitComputed(), m_arriving);
        case 3:
            return Take(m_arriving, [&](Sequence& sequence) { m_batcher.Arrive(sequence); });
        case 4:
            m_batches.push_back(m_batcher.MakeBatch());
            return;
        case 5:
            return Complete();
        default:
            return Swap();
        }
    }

    uint64_t TokensAhead() const
    {
        return m_batcher.TokensAhead();
    }

    /// The same, found by a walk over all sequences.
    uint64_t SumOfTokensAhead() const
    {
        uint64_t tokens = 0;
        for (const Sequence* sequence : m_present)
        {
            tokens += sequence->request.input + sequence->generated - sequence->computed;
        }
        return tokens;
    }

    uint64_t Preemptions() const
    {
        uint64_t preemptions = 0;
        for (const Sequence& sequence : m_sequences)
        {
            preemptions += sequence.preemptions;
        }
        return preemptions;
    }

    uint64_t HandedOver() const
    {
        return m_handedOver;
    }

  private:
    void Add()
    {
        Sequence& sequence = m_sequences.emplace_back();
        sequence.request = {.id = m_sequences.size(),
                            .input = 1 + m_random.Below(12),
                            .output = 2 + m_random.Below(16),
                            .prefixTokens = m_random.Below(12)};
        m_present.insert(&sequence);
        switch (m_random.Below(3))
        {
        case 0:
            return m_batcher.Enqueue(sequence);
        case 1:
            m_expected.push_back(&sequence);
            return m_batcher.Expect(sequence);
        default:
            sequence.generated = 1;
            return m_batcher.EnqueueComputed(sequence);
        }
    }

    void Complete()
    {
        if (m_batches.empty())
        {
            return;
        }
        const std::vector<BatchPart> batch = m_batches.front();
        m_batches.pop_front();
        m_batcher.Complete(batch);
        for (const BatchPart& part : batch)
        {
            Sequence& sequence = *part.sequence;
            const bool hasEnded = sequence.generated == sequence.request.output;
            if (!hasEnded && part.makesToken && m_random.Below(4) == 0)
            {
                m_batcher.HandOver(sequence);
                m_batcher.LetGo(sequence);
                ++m_handedOver;
                m_present.erase(&sequence);
            }
            if (hasEnded)
            {
                m_present.erase(&sequence);
            }
        }
    }

    void Swap()
    {
        Append(m_batcher.TakePreempted(), m_storing);
        Append(m_batcher.AdmitStored(), m_loading);
        Take(m_storing, [&](Sequence& sequence) { m_batcher.EndStore(sequence); });
        Take(m_loading, [&](Sequence& sequence) { m_batcher.EndLoad(sequence); });
    }

    static void Append(const std::vector<Sequence*>& from, std::vector<Sequence*>& to)
    {
        to.insert(to.end(), from.begin(), from.end());
    }

    template <class Action>
    void Take(std::vector<Sequence*>& sequences, const Action& action)
    {
        if (sequences.empty())
        {
            return;
        }
        const auto place =
            sequences.begin() + static_cast<std::ptrdiff_t>(m_random.Below(sequences.size()));
        Sequence& sequence = **place;
        sequences.erase(place);
        action(sequence);
    }

    RandomNumbers m_random;
    bool m_isSwapping;
    Batcher m_batcher;
    std::deque<Sequence> m_sequences;
    std::set<const Sequence*> m_present;
    std::vector<Sequence*> m_expected;
    std::vector<Sequence*> m_arriving;
    std::vector<Sequence*> m_storing;
    std::vector<Sequence*> m_loading;
    std::deque<std::vector<BatchPart>> m_batches; // under way
    uint64_t m_handedOver = 0;
};

} // namespace

TEST_CASE("Batcher: the tokens ahead are those of all its sequences, whatever happens to them",
          "[unit][workload][serving]")
{
    uint64_t preemptions = 0;
    uint64_t handedOver = 0;
    for (uint64_t seed = 0; seed < 200; ++seed)
    {
        BatcherUnderRandomLoad load(seed);
        for (int step = 0; step < 500; ++step)
        {
            load.Step();
            REQUIRE(load.TokensAhead() == load.SumOfTokensAhead());
        }
        preemptions += load.Preemptions();
        handedOver += load.HandedOver();
    }
    CHECK(preemptions > 200);
    CHECK(handedOver > 200);
}
