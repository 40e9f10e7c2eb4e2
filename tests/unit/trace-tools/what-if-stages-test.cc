// SPDX-License-Identifier: GPL-2.0-only
// What-if: layers are dealt to other stages and chunks, as the generator deals them.
#include "tests/support/config-error-text.h"
#include "tests/support/what-if-bench.h"
#include "workload/execution-graph-builder.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/graph-copy.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace nadi::test
{

namespace
{

/// Two copies of so many layers, each with 8 micro-batches.
ModelValues
LayersOfTwoCopies(ModelValues values, uint32_t layers)
{
    values.merge(ModelValues{{"layers", std::to_string(layers)}, {"dp", "2"}, {"batch", "16"}});
    return values;
}

/// Stages before and after.
WhatIfPair
StagePairOf(ModelValues values, uint32_t layers, uint32_t from, uint32_t to)
{
    return {LayersOfTwoCopies(std::move(values), layers),
            {{"pp", std::to_string(from)}},
            {{"pp", std::to_string(to)}}};
}

/// Stages that work by a schedule; of several chunks where it is interleaved.
ModelValues
StagesBy(const std::string& schedule, uint32_t stages, uint32_t chunks = 2)
{
    ModelValues values{{"pp", std::to_string(stages)}, {"schedule", schedule}};
    if (schedule == "interleaved")
    {
        values["chunks"] = std::to_string(chunks);
    }
    return values;
}

ModelValues
With(ModelValues values, const ModelValues& others)
{
    values.insert(others.begin(), others.end());
    return values;
}

/// Checks that the edits make what the generator makes, also of names that say nothing. The way
/// back is not known: where a job has one layer a stage, nothing but its names tells it.
void
CheckForward(const std::vector<WhatIfPair>& pairs)
{
    for (const WhatIfPair& pair : pairs)
    {
        WhatIfPair whole = pair;
        whole.from.merge(ModelValues{{"dp", "2"}, {"batch", "16"}});
        whole.to.merge(ModelValues{{"dp", "2"}, {"batch", "16"}});
        CAPTURE(DescribePair(whole));
        const Workload before = GenerateHalf(whole, whole.from);
        const Workload after = GenerateHalf(whole, whole.to);
        CheckSameJob(MakeWhatIf(before, whole.to), after);
        CheckSameJob(MakeWhatIf(WithNeutralNames(before), whole.to), after);
    }
}

/// Micro-batches of each of two copies, of which one was recorded.
WhatIfPair
PassPairOf(ModelValues values, uint32_t to)
{
    values["dp"] = "2";
    return {std::move(values),
            {{"batch", "2"}, {"micro-batches", "1"}},
            {{"batch", std::to_string(2 * to)}, {"micro-batches", std::to_string(to)}}};
}

/// How many messages of a type go from one rank to another with a tag.
std::map<std::tuple<uint32_t, uint32_t, uint64_t>, uint32_t>
TagsOf(const Workload& job, NodeType type)
{
    std::map<std::tuple<uint32_t, uint32_t, uint64_t>, uint32_t> tags;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        for (const ExecutionNode& node : job.GraphOf(RankId{rank}).Nodes())
        {
            if (node.type == type)
            {
                const uint32_t peer = job.PeerOf(RankId{rank}, node).value;
                const bool isSend = type == NodeType::Send;
                ++tags[{isSend ? rank : peer, isSend ? peer : rank, node.tag}];
            }
        }
    }
    return tags;
}

} // namespace

TEST_CASE("What-if: several stages of a single one, and a single one of several",
          "[unit][trace-tools]")
{
    CheckPairs({
        StagePairOf({{"tied-embeddings", "off"}}, 8, 1, 2),
        StagePairOf({}, 8, 1, 2),
        StagePairOf({}, 8, 2, 1),
        StagePairOf({{"tp", "2"}}, 12, 1, 4),
        StagePairOf({{"tp", "2"}, {"sp", "on"}}, 12, 1, 3),
        StagePairOf({{"tp", "2"}, {"sp", "on"}}, 12, 4, 1),
        StagePairOf({{"schedule", "gpipe"}, {"recompute", "full"}}, 8, 1, 4),
        StagePairOf({{"gradient-dtype", "fp32"}}, 8, 1, 2),
        StagePairOf({{"zero", "3"}}, 9, 1, 3),
        StagePairOf({{"cp", "2"}}, 8, 2, 1),
    });
}

TEST_CASE("What-if: stages become interleaved, and others again", "[unit][trace-tools]")
{
    const ModelValues values = LayersOfTwoCopies({}, 16);
    const ModelValues tensor = LayersOfTwoCopies({{"tp", "2"}, {"sp", "on"}}, 16);
    CheckPairs({
        {values, StagesBy("1f1b", 2), StagesBy("interleaved", 2)},
        {values, StagesBy("interleaved", 2), StagesBy("gpipe", 2)},
        {tensor, StagesBy("1f1b", 4), StagesBy("interleaved", 4)},
        {tensor, StagesBy("interleaved", 2, 2), StagesBy("interleaved", 2, 4)},
        {values, StagesBy("interleaved", 2), StagesBy("1f1b", 4)},
        {values, StagesBy("1f1b", 1), StagesBy("interleaved", 2)},
        {tensor, StagesBy("interleaved", 4), StagesBy("1f1b", 1)},
    });
}

TEST_CASE("What-if: stages and chunks get a single layer, also without names",
          "[unit][trace-tools][what-if]")
{
    const ModelValues values{{"layers", "4"}, {"tp", "2"}};
    const ModelValues copies{{"dp", "4"}, {"batch", "32"}};
    CheckForward({
        {values, StagesBy("gpipe", 2), StagesBy("gpipe", 4)},
        {values, StagesBy("1f1b", 2), StagesBy("1f1b", 4)},
        {values, StagesBy("1f1b", 1), StagesBy("gpipe", 4)},
        {values, StagesBy("1f1b", 2), StagesBy("interleaved", 2)},
    });
    CheckForward({
        {values, StagesBy("gpipe", 2), With(StagesBy("gpipe", 4), copies)},
        {values, StagesBy("1f1b", 2), With(StagesBy("1f1b", 4), copies)},
        {values, StagesBy("1f1b", 2), With(StagesBy("interleaved", 2), copies)},
        {{{"tp", "2"}, {"pp", "2"}, {"schedule", "gpipe"}},
         {{"layers", "8"}},
         {{"layers", "2"}, {"batch", "16"}, {"micro-batches", "8"}}},
        {{{"tp", "2"}, {"pp", "2"}, {"ffn", "192"}},
         {{"layers", "8"}, {"hidden", "64"}},
         {{"layers", "2"}, {"hidden", "128"}, {"dp", "4"}, {"batch", "32"}}},
    });
}

TEST_CASE("What-if: stages and chunks get a single layer with experts",
          "[unit][trace-tools][what-if]")
{
    const ModelValues values{{"layers", "4"}, {"ep", "2"}, {"experts", "8"}, {"top-k", "2"}};
    const ModelValues tensor = With({{"tp", "2"}, {"sp", "on"}}, values);
    CheckForward({
        {values, StagesBy("1f1b", 1), StagesBy("1f1b", 4)},
        {values, StagesBy("1f1b", 2), StagesBy("1f1b", 4)},
        {values, StagesBy("1f1b", 2), StagesBy("interleaved", 2)},
        {tensor, StagesBy("1f1b", 1), StagesBy("1f1b", 4)},
        {tensor, StagesBy("gpipe", 2), StagesBy("gpipe", 4)},
    });
}

TEST_CASE("What-if: two layers in a pass tell when those of more gather their parameters",
          "[unit][trace-tools][what-if]")
{
    const ModelValues values{{"zero", "3"}, {"layers", "4"}};
    const ModelValues whole{{"zero", "3"}, {"recompute", "full"}};
    CheckForward({
        {{{"zero", "3"}, {"pp", "2"}}, {{"layers", "4"}}, {{"layers", "8"}}},
        {{{"zero", "3"}, {"pp", "2"}},
         {{"layers", "4"}},
         {{"layers", "6"}, {"dp", "4"}, {"batch", "32"}}},
        {whole, {{"layers", "2"}}, {{"layers", "5"}}},
        {{{"zero", "3"}, {"tp", "2"}, {"sp", "on"}}, {{"layers", "2"}}, {{"layers", "4"}}},
        {values, StagesBy("1f1b", 2), StagesBy("1f1b", 1)},
        {values, StagesBy("gpipe", 2), StagesBy("gpipe", 4)},
    });
}

TEST_CASE("What-if: parameters of the head come while the last of the new layers is computed",
          "[unit][trace-tools][what-if]")
{
    const ModelValues sharded{{"zero", "3"}, {"vocabulary", "128"}, {"tied-embeddings", "off"}};
    const ModelValues streamed{{"weights", "streamed"}, {"vocabulary", "128"}};
    CheckForward({
        {sharded, {{"layers", "2"}}, {{"layers", "5"}}},
        {sharded, {{"layers", "5"}}, {{"layers", "2"}}},
        {sharded, {{"layers", "3"}}, {{"layers", "1"}}},
        {streamed, {{"layers", "2"}}, {{"layers", "4"}}},
        {With({{"layers", "4"}}, sharded), StagesBy("1f1b", 1), StagesBy("1f1b", 4)},
        {With({{"layers", "4"}}, sharded), StagesBy("1f1b", 2), StagesBy("interleaved", 2)},
    });
}

TEST_CASE("What-if: several micro-batches of a single one", "[unit][trace-tools]")
{
    CheckPairs({
        PassPairOf({{"layers", "3"}}, 4),
        PassPairOf({{"layers", "3"}, {"tp", "2"}, {"sp", "on"}}, 2),
        PassPairOf({{"layers", "4"}, {"pp", "2"}}, 4),
        PassPairOf({{"layers", "8"}, {"pp", "4"}, {"tied-embeddings", "off"}}, 6),
        PassPairOf({{"layers", "3"}, {"zero", "3"}}, 3),
    });
}

TEST_CASE("What-if: stages that cannot be told are refused, with what is missing",
          "[unit][trace-tools]")
{
    const auto message = [](const WhatIfPair& pair)
    { return ConfigErrorText([&] { MakeWhatIf(GenerateHalf(pair, pair.from), pair.to); }); };
    CHECK(message(StagePairOf({{"zero", "1"}}, 8, 1, 2)) ==
          "what-if: pp: copies hold shards of the parameters (ZeRO), of which some are of the head "
          "of the model; a stage between others is known from a recording of three stages");
    CHECK(
        message(PassPairOf({{"layers", "3"}, {"zero", "1"}}, 4)) ==
        "what-if: micro-batches: a single micro-batch was recorded, which does not tell whether "
        "copies scatter the gradients of each (ZeRO 2) or of the last alone (ZeRO 1); a recording "
        "of two micro-batches does");
    const ModelValues values = LayersOfTwoCopies({}, 8);
    CHECK(message({values, StagesBy("1f1b", 2), {{"chunks", "2"}}}) ==
          "what-if: chunks: only interleaved stages have several chunks of layers; write "
          "schedule=interleaved with them");
    CHECK(message({values, StagesBy("1f1b", 2), {{"pp", "1"}, {"schedule", "interleaved"}}}) ==
          "what-if: chunks: 1 stages of 2 chunks are not interleaved, which takes two of each at "
          "least; write schedule=1f1b");
    CHECK(
        message({values, StagesBy("1f1b", 2), StagesBy("interleaved", 2, 3)}) ==
        "what-if: chunks: 8 layers on 2 stages of 3 chunks each; write pp and chunks whose product "
        "divides 8");
    CHECK(message({values, StagesBy("1f1b", 2), {{"chunks", "3"}}}) ==
          "what-if: chunks: only interleaved stages have several chunks of layers; write "
          "schedule=interleaved with them");
}

TEST_CASE("What-if: what a single stage hands on is unknown without shapes and sums",
          "[unit][trace-tools]")
{
    const WhatIfPair pair = StagePairOf({}, 8, 1, 2);
    const Workload bare = WithoutKernels(GenerateHalf(pair, pair.from));
    CHECK(ConfigErrorText([&] { MakeWhatIf(bare, pair.to); }) ==
          "what-if: pp: what a layer hands on to the next is unknown: its kernels name no shapes, "
          "and no tensor group sums it; a recording with a host trace has shapes");
    const WhatIfPair summed = StagePairOf({{"tp", "2"}, {"tied-embeddings", "off"}}, 8, 1, 2);
    CHECK_NOTHROW(MakeWhatIf(WithoutKernels(GenerateHalf(summed, summed.from)), summed.to));
    const WhatIfPair tied = StagePairOf({{"tp", "2"}}, 8, 1, 2);
    CHECK(ConfigErrorText(
              [&] { MakeWhatIf(WithoutKernels(GenerateHalf(tied, tied.from)), tied.to); }) ==
          "what-if: pp: the head has few parameters, as where its matrix is that of the embedding, "
          "whose size is unknown without shapes; a recording with a host trace has them");
}

TEST_CASE("What-if: two ranks on two stages sum a matrix that more ranks sum at the ends alone",
          "[unit][trace-tools]")
{
    const ModelValues values{{"layers", "8"}, {"positions", "rotary"}};
    const auto jobOf = [](const std::string& pp, const std::string& dp, const std::string& tp)
    {
        return ModelValues{
            {"pp", pp}, {"dp", dp}, {"tp", tp}, {"batch", std::to_string(8 * std::stoi(dp))}};
    };
    const Workload before =
        WithoutNamesOfAllRanks(GenerateHalf({values, {}, {}}, jobOf("2", "1", "1")));
    const auto check = [&](const ModelValues& to)
    {
        const Workload expected = GenerateHalf({values, {}, {}}, to);
        const Workload made = MakeWhatIf(before, to);
        CheckSameJob(made, expected);
        CheckSameJob(MakeWhatIf(WithNeutralNames(before), to), expected);
        CheckSameJob(MakeWhatIf(made, jobOf("2", "1", "1")), before);
    };
    check(jobOf("1", "1", "1"));
    check(jobOf("2", "2", "1"));
    check(jobOf("2", "1", "2"));
    check(jobOf("4", "2", "2"));
}

TEST_CASE("What-if: both ends of a message between new stages have the tag of the generator's",
          "[unit][trace-tools]")
{
    const ModelValues values = LayersOfTwoCopies({}, 16);
    for (const WhatIfPair& pair : std::vector<WhatIfPair>{
             {values, StagesBy("1f1b", 1), StagesBy("1f1b", 4)},
             {values, StagesBy("1f1b", 4), StagesBy("1f1b", 8)},
             {values, StagesBy("interleaved", 4), StagesBy("1f1b", 2)},
             {values, StagesBy("1f1b", 2), StagesBy("interleaved", 4)},
         })
    {
        const Workload made = MakeWhatIf(GenerateHalf(pair, pair.from), pair.to);
        const Workload expected = GenerateHalf(pair, pair.to);
        CHECK((TagsOf(made, NodeType::Send) == TagsOf(expected, NodeType::Send)));
        CHECK((TagsOf(made, NodeType::Receive) == TagsOf(expected, NodeType::Receive)));
    }
}

} // namespace nadi::test
