// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/rank-memory.h"

#include "common/error.h"
#include "common/unit-parser.h"
#include "workload/models/forward-activations.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

PassBatch
LargestBatch(const BatchingOptions& batching, bool hasHead)
{
    PassBatch batch;
    batch.tokens = batching.maxTokens;
    // Each sequence of a batch has a token of it at least.
    batch.sampled = hasHead ? std::min(batching.maxRequests, batching.maxTokens) : 0;
    return batch;
}

/// Of experts alone: what one of their ranks gets of the largest batches of all attention ranks.
uint64_t
ActivationsOf(const ServingInstance& instance,
              uint32_t stage,
              uint32_t tensorRank,
              const BatchingOptions& batching)
{
    if (const ServingInstance* attention = instance.Attention())
    {
        const uint64_t copies =
            batching.maxTokens * attention->Replicas() * instance.Model().shape.topK;
        return ActivationBytesOfExperts(instance.Model(), ShareOf(copies, instance.Replicas()));
    }
    return ActivationBytesOfPass(instance.Model(),
                                 instance.PartOf(tensorRank),
                                 LargestBatch(batching, stage + 1 == instance.Model().pipeline));
}

std::string
GigabytesText(uint64_t bytes)
{
    return fmt::format("{:.1f} GB", double(bytes) / 1e9);
}

} // namespace

RankMemory
FindFullestRank(const ServingInstance& instance, uint32_t stage, const BatchingOptions& batching)
{
    RankMemory fullest;
    for (uint32_t rank = 0; rank < instance.Model().tensor; ++rank)
    {
        // The sum decides: the rank with most weights need not have most keys and values.
        const RankMemory memory{.weights = instance.WeightBytes(stage, rank),
                                .keysAndValues = instance.KvRoomBytes(stage, rank),
                                .activations = ActivationsOf(instance, stage, rank, batching)};
        fullest = memory.Sum() > fullest.Sum() ? memory : fullest;
    }
    return fullest;
}

void
CheckMemory(const ServingInstance& instance, const BatchingOptions& batching)
{
    for (uint32_t stage = 0; stage < instance.Model().pipeline; ++stage)
    {
        const RankMemory memory = FindFullestRank(instance, stage, batching);
        if (memory.Sum() > static_cast<uint64_t>(instance.Memory().Count()))
        {
            throw ConfigError(
                instance.Where(),
                fmt::format("a rank of {} holds {} of weights, {} of keys and values and {} of "
                            "activations, more than its memory of {}; write a smaller kv-memory or "
                            "max-tokens, or more memory",
                            instance.Name(),
                            GigabytesText(memory.weights),
                            GigabytesText(memory.keysAndValues),
                            GigabytesText(memory.activations),
                            ToText(instance.Memory())));
        }
    }
}

} // namespace nadi
