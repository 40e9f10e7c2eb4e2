// SPDX-License-Identifier: GPL-2.0-only
// What-if: the parameters of a copy that sums no gradients, and what is said of them.
#include "tests/support/config-error-text.h"
#include "tests/support/what-if-bench.h"
#include "workload/tools/structure/job-analysis.h"

#include <catch2/catch.hpp>

#include <algorithm>
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

} // namespace

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
