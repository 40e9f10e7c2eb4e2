// SPDX-License-Identifier: GPL-2.0-only
// What-if: the parameters of a copy that sums no gradients, and what is said of them.
#include "tests/support/config-error-text.h"
#include "tests/support/what-if-bench.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/graph-rewriter.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

namespace
{

WhatIfJob
Edit(const Workload& job, const ModelValues& to)
{
    return ApplyWhatIf(job, FindStructure(job, {}, {}), WishOf(to));
}

/// What is said of embedding and head, in a job of these values; "" where nothing is.
std::string
NoteOfEnds(const ModelValues& values, const ModelValues& to)
{
    const WhatIfJob made = Edit(GenerateHalf({values, {}, {}}, {}), to);
    const auto note = std::ranges::find_if(made.changes,
                                           [](const std::string& change)
                                           { return change.starts_with("Embedding and head"); });
    return note == made.changes.end() ? "" : *note;
}

Workload
MakeResnet(uint32_t ranks)
{
    return MakeModelJob(
        "resnet-50", {{"batch", std::to_string(8 * ranks)}, {"bucket", "0 B"}}, {ranks});
}

/// The sums of gradients of a rank: bytes by what they are of. `end` ends their names.
std::map<std::string, uint64_t>
SumsOf(const Workload& job, const std::string& end)
{
    const ExecutionGraph& graph = job.GraphOf(RankId{0});
    std::map<std::string, uint64_t> sums;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        const std::string name(graph.Name(node));
        if (graph.Node(node).type == NodeType::Collective)
        {
            REQUIRE(name.ends_with(end));
            sums[name.substr(0, name.size() - end.size())] += graph.Node(node).size;
        }
    }
    return sums;
}

/// Of the convolutions of a block, whose names begin with its own.
uint64_t
BytesOfBlock(const std::map<std::string, uint64_t>& sums, const std::string& block)
{
    uint64_t bytes = 0;
    for (const auto& [name, size] : sums)
    {
        bytes += name == block || name.starts_with(block + " ") ? size : 0;
    }
    return bytes;
}

/// With an optimizer that updates so many parameters more, or less.
Workload
WithMoreParameters(Workload job, int64_t more)
{
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = ChangeNodes(graph,
                            [more](uint32_t, NodeCopy& copy)
                            {
                                for (KernelLaunch& kernel : copy.kernels)
                                {
                                    const bool isUpdate = kernel.op == KernelOp::Optimizer;
                                    kernel.m += isUpdate ? static_cast<uint64_t>(more) : 0;
                                }
                            });
    }
    return job;
}

/// With ten classes in place of a thousand.
Workload
WithTenClasses(Workload job)
{
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = ChangeNodes(graph,
                            [](uint32_t, NodeCopy& copy)
                            {
                                if (copy.name == "classifier weight gradient")
                                {
                                    copy.kernels.front().n = 10;
                                }
                            });
    }
    return WithMoreParameters(std::move(job), -int64_t{990} * (2048 + 1));
}

/// With a product of patches of 48 numbers in place of the lookup of an embedding, and no more
/// parameters than that.
Workload
WithPatches(Workload job, uint64_t hidden)
{
    constexpr uint64_t patch = 48;
    for (ExecutionGraph& graph : job.graphs)
    {
        graph = ChangeNodes(
            graph,
            [hidden](uint32_t, NodeCopy& copy)
            {
                const KernelLaunch forward{.op = KernelOp::Gemm, .m = 32, .n = hidden, .k = patch};
                const KernelLaunch backward{.op = KernelOp::Gemm, .m = patch, .n = hidden, .k = 32};
                if (copy.name.find("embedding") != std::string::npos)
                {
                    const bool isForward = copy.name.ends_with("embedding");
                    copy.kernels = {isForward ? forward : backward};
                }
            });
    }
    return WithMoreParameters(std::move(job), static_cast<int64_t>(patch * hidden));
}

} // namespace

TEST_CASE("What-if: a first convolution has matrices of its own, and shares none with the head",
          "[unit][trace-tools][what-if]")
{
    const std::map<std::string, uint64_t> wanted = SumsOf(MakeResnet(4), " gradients");
    const WhatIfJob made = Edit(MakeResnet(1), {{"dp", "4"}});
    const std::map<std::string, uint64_t> sums = SumsOf(made.job, " gradients over dp");
    constexpr size_t blocks = 3 + 4 + 6 + 3;
    CHECK(sums.size() == blocks + 2);
    for (const auto& [name, bytes] : sums)
    {
        CAPTURE(name);
        CHECK(bytes == BytesOfBlock(wanted, name));
    }
    // Matrices of 7 x 7 pixels of three colours and 64 channels, and of 2048 channels and 1000
    // classes; each channel has two numbers of a norm, each class a bias, and all have two bytes.
    CHECK(sums.at("first convolution") == 2 * (7 * 7 * 3 * 64 + 2 * 64));
    CHECK(sums.at("classifier") == 2 * (2048 * 1000 + 1000));
    CHECK(std::ranges::count(
              made.changes,
              "Gradients of copies are summed layer by layer. They have as many bytes as "
              "parameters; parameters beyond matrices (norms, biases) are exactly 2 for each "
              "column of a matrix, and 1 for each column of the head's") == 1);
    CHECK(std::ranges::count(
              made.changes,
              "The kernels before the layers multiply by matrices of 9408 parameters of their own, "
              "so they share none with the head: of 25557032 parameters that the optimizer of a "
              "rank updates, 54120 are in no matrix") == 1);
}

TEST_CASE("What-if: a first convolution keeps its matrices where what is beyond them is dealt",
          "[unit][trace-tools][what-if]")
{
    const std::map<std::string, uint64_t> exact =
        SumsOf(Edit(MakeResnet(1), {{"dp", "4"}}).job, " gradients over dp");
    const WhatIfJob made = Edit(WithMoreParameters(MakeResnet(1), 17), {{"dp", "4"}});
    const std::map<std::string, uint64_t> sums = SumsOf(made.job, " gradients over dp");
    CHECK(sums.at("first convolution") == 2 * 7 * 7 * 3 * 64);
    CHECK(sums.at("classifier") >= 2 * 2048 * 1000);
    const auto add = [](uint64_t sum, const auto& entry) { return sum + entry.second; };
    CHECK(std::accumulate(sums.begin(), sums.end(), uint64_t{0}, add) ==
          std::accumulate(exact.begin(), exact.end(), uint64_t{2 * 17}, add));
    CHECK(std::ranges::any_of(made.changes,
                              [](const std::string& change)
                              { return change.ends_with("are dealt to the layers evenly"); }));
}

TEST_CASE("What-if: a first convolution looks nothing up where the head is small",
          "[unit][trace-tools][what-if]")
{
    // What norms have is more than the matrix of the head.
    constexpr uint64_t head = 2048 * 10;
    for (const int64_t more : {0, 17})
    {
        CAPTURE(more);
        const Workload job = WithMoreParameters(WithTenClasses(MakeResnet(1)), more);
        const WhatIfJob made = Edit(job, {{"dp", "4"}});
        const std::map<std::string, uint64_t> sums = SumsOf(made.job, " gradients over dp");
        CHECK(sums.at("classifier") >= 2 * head);
        CHECK(sums.at("first convolution") < 2 * head);
        CHECK(std::ranges::any_of(made.changes,
                                  [](const std::string& change) {
                                      return change.find("they share none with the head") !=
                                             std::string::npos;
                                  }));
    }
}

TEST_CASE("What-if: an embedding that multiplies patches by a matrix shares none with the head",
          "[unit][trace-tools][what-if]")
{
    // The optimizer updates one matrix of the vocabulary, that of the head.
    const ModelValues values{{"layers", "4"}, {"hidden", "64"}, {"positions", "rotary"}};
    const Workload job = WithPatches(GenerateHalf({values, {}, {}}, {{"batch", "4"}}), 64);
    for (const ModelValues& to : std::vector<ModelValues>{{{"pp", "2"}}, {{"dp", "2"}}})
    {
        const std::vector<std::string> changes = Edit(job, to).changes;
        const auto begins = [&](const std::string& words)
        {
            return std::ranges::any_of(
                changes, [&](const std::string& change) { return change.starts_with(words); });
        };
        CHECK(begins("The kernels before the layers multiply by matrices of 3072 parameters of "
                     "their own, so they share none with the head"));
        CHECK_FALSE(begins("Embedding and head"));
        CHECK_FALSE(begins("Gradients of the matrix that embedding and head share"));
    }
    const std::map<std::string, uint64_t> sums =
        SumsOf(Edit(job, {{"dp", "2"}}).job, " gradients over dp");
    CHECK(sums.at("micro-batch 3 embedding") == 2 * 48 * 64);
}

TEST_CASE("What-if: parameters of a single copy whose shards sum each micro-batch are counted",
          "[unit][trace-tools][what-if]")
{
    for (const std::string zero : {"2", "3"})
    {
        CAPTURE(zero);
        const ModelValues values{{"zero", zero}, {"positions", "rotary"}};
        const auto job = [](const std::string& layers, const std::string& pp) {
            return ModelValues{{"layers", layers}, {"pp", pp}, {"batch", "4"}};
        };
        CheckPairs({
            {values, job("4", "1"), job("8", "1")},
            {values, job("4", "1"), job("4", "2")},
            {values, job("8", "1"), job("8", "4")},
        });
        const ModelValues single{
            {"layers", "4"}, {"pp", "4"}, {"batch", "1"}, {"micro-batches", "1"}};
        CheckSameJob(MakeWhatIf(GenerateHalf({values, {}, {}}, job("4", "1")), single),
                     GenerateHalf({values, {}, {}}, single));
        const Workload bare = WithoutKernels(GenerateHalf({values, {}, {}}, job("4", "1")));
        const std::vector<std::string> changes = Edit(bare, {{"layers", "8"}}).changes;
        REQUIRE(changes.size() == 2);
        CHECK(changes[1].find("names no shapes") != std::string::npos);
        const Workload shards = GenerateHalf({values, {}, {}}, job("4", "1"));
        CHECK(ConfigErrorText(
                  [&] {
                      MakeWhatIf(shards, {{"dp", "2"}});
                  })
                  .ends_with("when copies would sum its gradients is unknown"));
    }
}

TEST_CASE("What-if: it is said whether embedding and head are taken to share a matrix",
          "[unit][trace-tools][what-if]")
{
    const ModelValues values{{"layers", "4"}, {"batch", "4"}, {"positions", "rotary"}};
    const auto with = [&](ModelValues more)
    {
        more.merge(ModelValues(values));
        return more;
    };
    const std::string shared = "Embedding and head are taken to share a matrix";
    const std::string apart = "Embedding and head are taken to have a matrix each";
    for (const ModelValues& to : std::vector<ModelValues>{{{"pp", "2"}}, {{"dp", "2"}}})
    {
        CHECK(NoteOfEnds(values, to).starts_with(shared));
        CHECK(NoteOfEnds(with({{"tied-embeddings", "off"}}), to).starts_with(apart));
        // Learned positions of more numbers than the part of a matrix that a rank has.
        const std::string positions =
            NoteOfEnds(with({{"tp", "4"}, {"positions", "learned"}, {"sequence", "96"}}), to);
        CHECK(positions.starts_with(shared));
        CHECK(positions.ends_with("the norms and biases of layers and head, and learned positions, "
                                  "are exactly these"));
        // As many positions as the part of a matrix that a rank has rows: both would be exact.
        const std::string doubtful =
            NoteOfEnds(with({{"tp", "4"}, {"positions", "learned"}, {"sequence", "32"}}), to);
        CHECK(doubtful.ends_with("a recording of two copies tells"));
    }
    CHECK(NoteOfEnds(with({{"dp", "2"}}), {{"pp", "2"}}).empty());
    CHECK(NoteOfEnds(with({{"pp", "2"}}), {{"dp", "2"}}).empty());
    CHECK(NoteOfEnds(values, {{"layers", "8"}}).empty());
}

TEST_CASE("What-if: learned positions of a single copy are the embedding's",
          "[unit][trace-tools][what-if]")
{
    const ModelValues dense{{"tied-embeddings", "off"}, {"mlp", "gated"}, {"norm", "rms"}};
    const ModelValues tensor{{"tp", "2"}, {"sp", "on"}, {"biases", "on"}};
    for (ModelValues values : {ModelValues(), dense, tensor})
    {
        values.merge(ModelValues{{"positions", "learned"}, {"sequence", "96"}});
        CheckPairs({{values, {{"layers", "4"}, {"batch", "4"}}, {{"layers", "6"}, {"batch", "4"}}},
                    {values,
                     {{"layers", "4"}, {"batch", "4"}, {"pp", "1"}},
                     {{"layers", "4"}, {"batch", "4"}, {"pp", "2"}}},
                    {values,
                     {{"layers", "4"}, {"batch", "4"}, {"dp", "1"}},
                     {{"layers", "4"}, {"batch", "8"}, {"dp", "2"}}}});
    }
}

TEST_CASE("What-if: norms and biases that are no whole rows of a layer are counted exactly",
          "[unit][trace-tools][what-if]")
{
    // Biases of MLPs have 160 numbers, and a row of the hidden width 64.
    const auto with = [](ModelValues more)
    {
        more.merge(ModelValues{{"ffn", "160"}, {"hidden", "64"}, {"positions", "rotary"}});
        return more;
    };
    const auto stages = [](const std::string& schedule, const std::string& chunks) {
        return ModelValues{{"pp", "2"}, {"schedule", schedule}, {"chunks", chunks}, {"batch", "4"}};
    };
    for (const std::string norm : {"layer", "rms"})
    {
        for (const std::string biases : {"on", "off"})
        {
            CAPTURE(norm, biases);
            const auto layers = [&](const std::string& count) {
                return with({{"layers", count}, {"norm", norm}, {"biases", biases}});
            };
            CheckPairs(
                {{layers("8"), stages("1f1b", "1"), stages("interleaved", "2")},
                 {layers("2"), {{"dp", "1"}, {"batch", "2"}}, {{"dp", "2"}, {"batch", "4"}}}});
            const WhatIfPair single{
                layers("6"), stages("1f1b", "1"), stages("interleaved", "3")}; // layer in a pass
            CheckSameJob(MakeWhatIf(GenerateHalf(single, single.from), single.to),
                         GenerateHalf(single, single.to));
        }
    }
}

TEST_CASE("What-if: it is said that gradients of a shared matrix are taken for as wide as it",
          "[unit][trace-tools][what-if]")
{
    const ModelValues values{
        {"layers", "4"}, {"batch", "4"}, {"positions", "rotary"}, {"gradient-dtype", "fp32"}};
    const auto says = [](const std::vector<std::string>& changes)
    {
        return std::ranges::any_of(changes,
                                   [](const std::string& change)
                                   { return change.starts_with("Gradients of the matrix that"); });
    };
    CHECK(says(Edit(GenerateHalf({values, {}, {}}, {}), {{"pp", "2"}}).changes));
    CHECK_FALSE(says(Edit(GenerateHalf({values, {}, {}}, {{"dp", "2"}}), {{"pp", "2"}}).changes));
}

} // namespace nadi::test
