// SPDX-License-Identifier: GPL-2.0-only
#include "common/random-numbers.h"
#include "workload/serving/batcher.h"
#include "workload/serving/router.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

using namespace nadi;

namespace
{

/// A part of a batch, in numbers.
struct Scheduled
{
    uint64_t request = 0;
    uint64_t tokens = 0;
    uint64_t context = 0;

    bool operator==(const Scheduled&) const = default;
};

std::ostream&
operator<<(std::ostream& stream, const Scheduled& part)
{
    return stream << part.request << ": " << part.tokens << " after " << part.context;
}

class BatcherBench
{
  public:
    BatcherBench(const BatchingOptions& options, uint64_t blocks)
        : m_batcher(options, blocks)
    {
    }

    Sequence& Add(uint64_t input, uint64_t output, uint64_t prefixTokens = 0)
    {
        Sequence& sequence = m_sequences.emplace_back();
        sequence.request = {.id = m_sequences.size() - 1,
                            .input = input,
                            .output = output,
                            .prefixTokens = prefixTokens};
        m_batcher.Enqueue(sequence);
        return sequence;
    }

    /// Makes a batch and completes it.
    std::vector<Scheduled> Step()
    {
        const std::vector<BatchPart> batch = m_batcher.MakeBatch();
        std::vector<Scheduled> parts;
        for (const BatchPart& part : batch)
        {
            parts.push_back({part.sequence->request.id, part.tokens, part.context});
        }
        m_batcher.Complete(batch);
        return parts;
    }

    Batcher& Get()
    {
        return m_batcher;
    }

    std::deque<Sequence>& Sequences()
    {
        return m_sequences;
    }

  private:
    Batcher m_batcher;
    std::deque<Sequence> m_sequences;
};

using Parts = std::vector<Scheduled>;

} // namespace

TEST_CASE("Batcher: prompts are cut into chunks that fill the budget", "[unit][workload][serving]")
{
    BatcherBench bench({.maxTokens = 10, .maxRequests = 8, .block = 4}, 100);
    bench.Add(14, 2);
    bench.Add(9, 1);
    CHECK(bench.Step() == Parts{{0, 10, 0}});
    CHECK(bench.Step() == Parts{{0, 4, 10}, {1, 6, 0}}); // what is left of both prompts
    CHECK(bench.Step() == Parts{{0, 1, 14}, {1, 3, 6}}); // the second token of the first answer
    CHECK(bench.Sequences()[0].generated == 2);
    CHECK(bench.Sequences()[1].generated == 1);
    CHECK(bench.Step().empty());
    CHECK(bench.Get().Blocks().Used() == 0);
}

TEST_CASE("Batcher: without chunks a prompt waits for a batch that has room for it",
          "[unit][workload][serving]")
{
    BatcherBench bench({.maxTokens = 10, .maxRequests = 8, .hasChunkedPrefill = false, .block = 4},
                       100);
    bench.Add(6, 2);
    bench.Add(5, 1);
    bench.Add(12, 1);
    CHECK(bench.Step() == Parts{{0, 6, 0}});
    CHECK(bench.Step() == Parts{{0, 1, 6}, {1, 5, 0}});
    CHECK(bench.Step() == Parts{{2, 12, 0}}); // larger than the budget: alone, and whole
}

TEST_CASE("Batcher: a sequence that needs a block takes it from the last admitted",
          "[unit][workload][serving]")
{
    // Blocks of one token. Both prompts fit in 8; the tokens of the answers do not.
    BatcherBench bench({.maxTokens = 100, .maxRequests = 8, .block = 1}, 8);
    bench.Add(4, 4);
    bench.Add(4, 3);
    CHECK(bench.Step() == Parts{{0, 4, 0}, {1, 4, 0}});
    // 0 takes a fifth block: 1 loses its four, and nobody is admitted in that batch.
    bench.Add(1, 1);
    CHECK(bench.Step() == Parts{{0, 1, 4}});
    CHECK(bench.Sequences()[1].preemptions == 1);
    CHECK(bench.Get().Blocks().Used() == 5);
    // 1 is first in the queue; its five tokens do not fit beside six, so nobody behind it goes.
    CHECK(bench.Step() == Parts{{0, 1, 5}});
    CHECK(bench.Step() == Parts{{0, 1, 6}});
    // It computes its prompt and its first token again.
    CHECK(bench.Step() == Parts{{1, 5, 0}, {2, 1, 0}});
    CHECK(bench.Step() == Parts{{1, 1, 5}});
    CHECK(bench.Get().Running() == 0);
    CHECK(bench.Get().Waiting() == 0);
}

TEST_CASE("Batcher: a swapped sequence keeps what it has computed, and comes back before others",
          "[unit][workload][serving]")
{
    // As above, but the blocks of 1 are free only when its keys and values are stored.
    BatcherBench bench(
        {.maxTokens = 100, .maxRequests = 8, .block = 1, .preemption = Preemption::Swap}, 8);
    bench.Add(4, 4);
    Sequence& swapped = bench.Add(4, 3);
    CHECK(bench.Step() == Parts{{0, 4, 0}, {1, 4, 0}});
    bench.Add(1, 1);
    CHECK(bench.Step().empty()); // 0 waits for its fifth block
    CHECK(bench.Get().TakePreempted() == std::vector{&swapped});
    CHECK(bench.Get().TakePreempted().empty());
    CHECK(bench.Get().Blocks().Used() == 8);
    CHECK(bench.Get().AdmitStored().empty()); // it is not stored yet
    CHECK(bench.Step().empty());
    CHECK(bench.Get().TakePreempted().empty()); // nobody else is preempted meanwhile
    bench.Get().EndStore(swapped);
    CHECK(bench.Get().Blocks().Used() == 4);
    CHECK(bench.Get().AdmitStored().empty()); // 0 goes first, which lacks room
    CHECK(bench.Step() == Parts{{0, 1, 4}});
    CHECK(bench.Get().AdmitStored().empty()); // five blocks of eight are taken, and 1 wants five
    CHECK(bench.Step() == Parts{{0, 1, 5}});
    CHECK(bench.Step() == Parts{{0, 1, 6}}); // 2 is not admitted before 1 is back
    CHECK(bench.Get().AdmitStored() == std::vector{&swapped});
    CHECK(bench.Get().Blocks().Used() == 5);
    CHECK(bench.Step() == Parts{{2, 1, 0}}); // 1 is on its way
    bench.Get().EndLoad(swapped);
    CHECK(bench.Step() == Parts{{1, 1, 4}}); // nothing is computed again
    CHECK(bench.Step() == Parts{{1, 1, 5}});
    CHECK(swapped.preemptions == 1);
    CHECK(bench.Get().Running() == 0);
    CHECK(bench.Get().Waiting() == 0);
    CHECK(bench.Get().Blocks().Used() == 0);
}

TEST_CASE("Batcher: a sequence in a batch under way is passed over", "[unit][workload][serving]")
{
    BatcherBench bench({.maxTokens = 4, .maxRequests = 2, .block = 1}, 100);
    bench.Add(4, 2);
    bench.Add(4, 1);
    const auto first = bench.Get().MakeBatch();
    const auto second = bench.Get().MakeBatch();
    REQUIRE(first.size() == 1);
    REQUIRE(second.size() == 1);
    CHECK(second.front().sequence->request.id == 1);
    CHECK(bench.Get().MakeBatch().empty());
    bench.Get().Complete(first);
    CHECK(bench.Step() == Parts{{0, 1, 4}});
}

TEST_CASE("Batcher: a prefix that was computed is computed once", "[unit][workload][serving]")
{
    BatcherBench bench({.maxTokens = 100, .maxRequests = 8, .block = 4, .hasPrefixCache = true},
                       100);
    bench.Add(10, 1, 9);
    CHECK(bench.Step() == Parts{{0, 10, 0}});
    CHECK(bench.Get().Blocks().Used() == 0); // two blocks are kept
    bench.Add(11, 1, 9);
    CHECK(bench.Step() == Parts{{1, 3, 8}});
    // Of a prompt that is cached as a whole, one block is computed again, for its last token.
    bench.Add(8, 1, 8);
    CHECK(bench.Step() == Parts{{2, 4, 4}});
}

TEST_CASE("Batcher: a prefix is found by those who are admitted to the batch that computes it",
          "[unit][workload][serving]")
{
    // vLLM V1: KVCacheManager.allocate_slots caches the blocks that a step is to fill, so that the
    // next request of the same step finds them.
    BatchingOptions options{.maxTokens = 100, .maxRequests = 8, .block = 4, .hasPrefixCache = true};
    BatcherBench whole(options, 100);
    whole.Add(10, 1, 9);
    whole.Add(11, 1, 9);
    CHECK(whole.Step() == Parts{{0, 10, 0}, {1, 3, 8}});
    CHECK(whole.Get().CachedTokens() == 8);
    // In chunks, the second half of the prefix is found when its own chunk is in a batch.
    options.maxTokens = 6;
    BatcherBench chunks(options, 100);
    chunks.Add(10, 1, 9);
    chunks.Add(11, 1, 9);
    CHECK(chunks.Step() == Parts{{0, 6, 0}});
    CHECK(chunks.Step() == Parts{{0, 4, 6}, {1, 2, 8}});
    CHECK(chunks.Step() == Parts{{1, 1, 10}});
}

TEST_CASE("Batcher: a prefix outlives the preemption of the sequence that computed it",
          "[unit][workload][serving]")
{
    BatcherBench bench({.maxTokens = 8, .maxRequests = 8, .block = 4, .hasPrefixCache = true}, 3);
    Sequence& first = bench.Add(10, 1, 8);
    Sequence& second = bench.Add(10, 1, 8);
    // A pipeline: the second batch begins while the first one is under way.
    const std::vector<BatchPart> one = bench.Get().MakeBatch();
    CHECK(one == std::vector<BatchPart>{{&first, 8, 0, false}});
    const std::vector<BatchPart> two = bench.Get().MakeBatch();
    CHECK(two == std::vector<BatchPart>{{&second, 2, 8, true}});
    CHECK(bench.Get().Blocks().Used() == 3);
    bench.Get().Complete(one);
    // No block is left for the rest of the first prompt, and nobody but itself can go.
    CHECK(bench.Get().MakeBatch().empty());
    CHECK(first.preemptions == 1);
    CHECK(bench.Get().Blocks().Used() == 3); // all are of the second one
    bench.Get().Complete(two);
    CHECK(bench.Step() == Parts{{0, 2, 8}});
    CHECK(first.generated == 1);
    CHECK(bench.Get().Blocks().Used() == 0);
}

TEST_CASE("KvBlocks: kept blocks go when their place is needed", "[unit][workload][serving]")
{
    KvBlocks blocks(4, 4, true);
    const Request first{.input = 9, .prefixGroup = 1, .prefixTokens = 8};
    HeldBlocks held;
    REQUIRE(blocks.TryBegin(first, 9, held));
    blocks.Share(first, 9, held);
    CHECK(blocks.Used() == 3);
    blocks.Free(held);
    CHECK(blocks.Used() == 0);
    CHECK(blocks.CachedTokens(first) == 8);
    const Request large{.input = 12};
    REQUIRE(blocks.TryBegin(large, 12, held));
    CHECK(blocks.CachedTokens(first) == 4); // the last of the prefix went first
    HeldBlocks more;
    CHECK(!blocks.TryBegin(large, 8, more)); // one place is left
    CHECK(blocks.Peak() == 3);
}

TEST_CASE("Batcher: a prompt that was computed elsewhere needs room, then its keys and values",
          "[unit][workload][serving]")
{
    BatcherBench bench({.maxTokens = 10, .maxRequests = 2, .block = 1}, 12);
    std::deque<Sequence> sequences(3);
    for (Sequence& sequence : sequences)
    {
        sequence.request = {.input = 5, .output = 3};
        sequence.generated = 1;
        bench.Get().EnqueueComputed(sequence);
    }
    // Of each, the keys and values of the token that was made elsewhere are to be computed.
    CHECK(bench.Get().TokensAhead() == 3);
    CHECK(bench.Get().AdmitComputed().size() == 2); // 6 blocks each
    CHECK(bench.Step().empty());
    CHECK(bench.Get().TokensAhead() == 3);
    bench.Get().Arrive(sequences[1]);
    CHECK(bench.Get().TokensAhead() == 3);
    CHECK(bench.Step() == Parts{{0, 1, 5}});
    CHECK(sequences[1].generated == 2);
    CHECK(bench.Get().AdmitComputed().empty());
}

TEST_CASE("Batcher: a sequence that is expected counts as load, and is not admitted",
          "[unit][workload][serving]")
{
    BatcherBench bench({.maxTokens = 10, .maxRequests = 2, .block = 1}, 12);
    Sequence sequence;
    sequence.request = {.input = 5, .output = 3};
    bench.Get().Expect(sequence);
    CHECK(bench.Get().TokensAhead() == 5);
    CHECK(bench.Get().Waiting() == 1);
    CHECK(bench.Step().empty());
    bench.Get().Enqueue(sequence);
    CHECK(bench.Get().TokensAhead() == 5);
    CHECK(bench.Step() == Parts{{0, 5, 0}});
}

TEST_CASE("Batcher: every sequence ends, whatever the memory", "[unit][workload][serving]")
{
    for (uint64_t seed = 0; seed < 200; ++seed)
    {
        RandomNumbers random(seed, RandomPurpose::Values);
        const BatchingOptions options{.maxTokens = 1 + random.Below(40),
                                      .maxRequests = 1 + random.Below(6),
                                      .hasChunkedPrefill = random.Below(2) == 0,
                                      .block = 1 + random.Below(8),
                                      .hasPrefixCache = random.Below(2) == 0};
        BatcherBench bench(options, 60);
        uint64_t asked = 0;
        for (int i = 0; i < 30; ++i)
        {
            asked += bench.Add(1 + random.Below(30), 1 + random.Below(20), random.Below(30))
                         .request.output;
        }
        int steps = 0;
        while (!bench.Step().empty())
        {
            REQUIRE(bench.Get().Blocks().Used() <= 60);
            REQUIRE(++steps < 100000);
        }
        uint64_t made = 0;
        for (const Sequence& sequence : bench.Sequences())
        {
            made += sequence.generated;
        }
        CHECK(made == asked);
        CHECK(bench.Get().Blocks().Used() == 0);
        CHECK(bench.Get().TokensAhead() == 0);
    }
}

TEST_CASE("Router: who takes a request", "[unit][workload][serving]")
{
    const std::vector<ReplicaLoad> loads{{.tokensAhead = 9, .cachedTokens = 4},
                                         {.tokensAhead = 5, .cachedTokens = 0},
                                         {.tokensAhead = 7, .cachedTokens = 4}};
    const Request request{.id = 3};
    CHECK(Router(RoutingPolicy::LeastLoaded, 1).Pick(request, loads) == 1);
    CHECK(Router(RoutingPolicy::Prefix, 1).Pick(request, loads) == 2);
    Router turns(RoutingPolicy::RoundRobin, 1);
    CHECK(turns.Pick(request, loads) == 0);
    CHECK(turns.Pick(request, loads) == 1);
    const size_t drawn = Router(RoutingPolicy::Random, 1).Pick(request, loads);
    CHECK(Router(RoutingPolicy::Random, 1).Pick(request, loads) == drawn);
}
