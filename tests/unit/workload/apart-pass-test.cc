// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/apart-pass.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

ForwardModel
SmallExperts(uint32_t topK, uint32_t tensor, const std::string& vocabulary = "1000")
{
    const std::vector<ParameterSpec> specs = TransformerShape::ParameterSpecs();
    ForwardModel model{.shape = TransformerShape::Read(
                           Parameters::Parse(specs,
                                             CompleteParameters(specs,
                                                                {{"layers", "1"},
                                                                 {"hidden", "64"},
                                                                 {"heads", "4"},
                                                                 {"vocabulary", vocabulary},
                                                                 {"experts", "16"},
                                                                 {"top-k", std::to_string(topK)},
                                                                 {"expert-ffn", "32"}})))};
    model.tensor = tensor;
    return model;
}

/// Attention ranks from 0, then those of experts.
ApartTask
MakeTask(const ForwardModel& model, const std::vector<uint64_t>& tokens, uint32_t experts)
{
    ApartTask task{.lastLayer = 1, .hasEmbedding = true, .hasHead = true};
    uint32_t rank = 0;
    for (const uint64_t ofReplica : tokens)
    {
        PassBatch batch;
        for (uint64_t i = 0; i < ofReplica; ++i)
        {
            batch.Add(1, 10, true);
        }
        task.batches.push_back({batch});
        for (uint32_t i = 0; i < model.tensor; ++i)
        {
            task.attention.push_back(RankId{rank++});
        }
    }
    for (uint32_t i = 0; i < experts; ++i)
    {
        task.experts.push_back(RankId{rank++});
    }
    return task;
}

using SizesByPeer = std::map<uint32_t, uint64_t>;

SizesByPeer
SizesOf(const ExecutionGraph& graph, NodeType type)
{
    SizesByPeer sizes;
    for (const ExecutionNode& node : graph.Nodes())
    {
        if (node.type == type)
        {
            sizes[node.peer] += node.size;
        }
    }
    return sizes;
}

uint64_t
RangeOfSizes(const SizesByPeer& sizes)
{
    const auto bySize = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto [least, most] = std::ranges::minmax_element(sizes, bySize);
    return most->second - least->second;
}

} // namespace

TEST_CASE("Apart pass: ranks of experts get as many copies of a pass, or one more",
          "[unit][workload][serving]")
{
    const uint32_t tensor = GENERATE(1U, 2U);
    const uint32_t topK = GENERATE(1U, 2U, 3U);
    const auto tokens = GENERATE(std::vector<uint64_t>{1, 1, 1, 1, 1, 1, 1, 1},
                                 std::vector<uint64_t>{2, 0, 5, 1},
                                 std::vector<uint64_t>{1, 0, 0},
                                 std::vector<uint64_t>{100, 3, 77});
    CAPTURE(tensor, topK, tokens);
    const ForwardModel model = SmallExperts(topK, tensor);
    const ApartTask task = MakeTask(model, tokens, 8);
    const TransformerShape part = model.Parts().front();
    SizesByPeer toExperts;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> sent;
    for (uint32_t at = 0; at < task.attention.size(); ++at)
    {
        const SizesByPeer sizes =
            SizesOf(MakeAttentionPass(model, part, task, at / tensor, at % tensor), NodeType::Send);
        if (!sizes.empty())
        {
            CHECK(RangeOfSizes(sizes) <= model.DispatchBytesOfToken());
        }
        for (const auto& [peer, size] : sizes)
        {
            toExperts[peer] += size;
            sent[{at, peer}] = size;
        }
    }
    CHECK(RangeOfSizes(toExperts) <= model.DispatchBytesOfToken());
    // Both ends of each message have one size.
    for (uint32_t index = 0; index < task.experts.size(); ++index)
    {
        for (const auto& [peer, size] :
             SizesOf(MakeExpertsPass(model, task, index), NodeType::Receive))
        {
            CHECK(sent.at({peer, task.experts[index].value}) == size);
        }
    }
}

TEST_CASE("Apart pass: a model without a vocabulary has no embedding", "[unit][workload][serving]")
{
    const auto sums = [](const std::string& vocabulary)
    {
        const ForwardModel model = SmallExperts(1, 2, vocabulary);
        const ExecutionGraph graph =
            MakeAttentionPass(model, model.Parts().front(), MakeTask(model, {4}, 2), 0, 0);
        return std::ranges::count_if(graph.Nodes(),
                                     [](const ExecutionNode& node)
                                     { return node.type == NodeType::Collective; });
    };
    CHECK(sums("0") == 2);
    CHECK(sums("1000") == 3);
}
