// SPDX-License-Identifier: GPL-2.0-only
// What-if: gradients of several layers are summed together, before and after.
#include "tests/support/config-error-text.h"
#include "tests/support/what-if-bench.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/what-if-settings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

namespace
{

/// With buckets of so many layers: gradients of one have 99 968 B here.
WhatIfPair
InBuckets(const std::string& bucket, ModelValues values, ModelValues from, ModelValues to)
{
    values.merge(ModelValues{{"dp", "2"}, {"batch", "8"}, {"bucket", bucket}});
    return {std::move(values), std::move(from), std::move(to)};
}

} // namespace

TEST_CASE("What-if: buckets keep their size, and become more with the layers",
          "[unit][trace-tools]")
{
    const ModelValues eight{{"layers", "8"}};
    CheckPairs({
        InBuckets("190 KB", {}, {{"layers", "8"}}, {{"layers", "12"}}),
        InBuckets("290 KB", {}, {{"layers", "10"}}, {{"layers", "7"}}),
        InBuckets("150 KB", {{"zero", "1"}}, {{"layers", "6"}}, {{"layers", "9"}}),
        InBuckets("190 KB", {{"zero", "2"}}, {{"layers", "8"}}, {{"layers", "5"}}),
        InBuckets("190 KB", eight, {{"pp", "1"}}, {{"pp", "2"}}),
        InBuckets("100 KB", {{"tp", "2"}, {"sp", "on"}}, {{"layers", "8"}}, {{"layers", "12"}}),
        {{{"layers", "8"}, {"dp", "2"}, {"bucket", "190 KB"}},
         {{"micro-batches", "4"}, {"batch", "8"}, {"pp", "2"}},
         {{"micro-batches", "2"}, {"batch", "4"}, {"pp", "4"}}},
    });
}

TEST_CASE("What-if: a single micro-batch tells the bucket that it ends with", "[unit][trace-tools]")
{
    const ModelValues one{{"micro-batches", "1"}, {"batch", "2"}};
    const ModelValues four{{"micro-batches", "4"}, {"batch", "8"}};
    for (const std::string bucket : {"150 KB", "190 KB", "10 MB"})
    {
        for (const std::string zero : {"0", "3"})
        {
            CheckPairs(
                {{{{"zero", zero}, {"layers", "5"}, {"dp", "2"}, {"bucket", bucket}}, one, four}});
        }
    }
    const Workload scattered = GenerateHalf(
        {{{"zero", "1"}, {"layers", "5"}, {"dp", "2"}, {"bucket", "10 MB"}}, one, four}, one);
    CHECK(ConfigErrorText(
              [&] {
                  MakeWhatIf(scattered, {{"micro-batches", "4"}});
              })
              .ends_with("a recording of two micro-batches does"));
}

TEST_CASE("What-if: stages whose buckets were never full keep one each", "[unit][trace-tools]")
{
    // Stages between have two layers, the first and the last one something besides.
    const ModelValues stages{{"layers", "8"}, {"pp", "4"}, {"tp", "2"}, {"ffn", "256"}};
    CheckPairs({InBuckets("10 MB", stages, {{"sp", "on"}}, {{"sp", "off"}}),
                InBuckets("10 MB", stages, {{"hidden", "64"}}, {{"hidden", "96"}})});
}

TEST_CASE("What-if: a bucket that is full with the last layer stays before the message of its pass",
          "[unit][trace-tools]")
{
    // Each stage has two layers and nothing else, which fill one bucket.
    const ModelValues stages{{"layers", "4"},
                             {"vocabulary", "0"},
                             {"pp", "2"},
                             {"dp", "2"},
                             {"schedule", "gpipe"},
                             {"bucket", "190 KB"}};
    CheckPairs({{stages,
                 {{"micro-batch", "1"}, {"batch", "8"}},
                 {{"micro-batch", "2"}, {"batch", "16"}}}});
    // A bucket that such layers do not fill is summed behind the message.
    ModelValues large = stages;
    large["bucket"] = "10 MB";
    CheckPairs(
        {{large, {{"micro-batch", "1"}, {"batch", "8"}}, {{"micro-batch", "2"}, {"batch", "16"}}}});
}

// Here not back: what was recorded says of a limit only that it is not above the bytes of a bucket.
TEST_CASE("What-if: buckets keep their size where layers change theirs", "[unit][trace-tools]")
{
    const ModelValues eight{{"layers", "8"}};
    const ModelValues sharded{{"layers", "8"}, {"zero", "1"}};
    for (const WhatIfPair& pair :
         {InBuckets("190 KB", eight, {{"ffn", "256"}}, {{"ffn", "128"}}), // of two layers, of three
          InBuckets("190 KB", sharded, {{"ffn", "256"}}, {{"ffn", "128"}}),
          InBuckets("290 KB", eight, {{"ffn", "256"}}, {{"ffn", "512"}}), // of three, of two
          InBuckets("190 KB",
                    {{"ffn", "256"}},
                    {{"hidden", "64"}, {"layers", "8"}},
                    {{"hidden", "128"}, {"layers", "10"}})})
    {
        CAPTURE(pair.values, pair.to);
        CheckSameJob(MakeWhatIf(GenerateHalf(pair, pair.from), pair.to),
                     GenerateHalf(pair, pair.to));
    }
}

TEST_CASE("What-if: buckets with experts keep their layers where these change their sizes",
          "[unit][trace-tools]")
{
    const WhatIfPair pair =
        InBuckets("290 KB", {{"layers", "4"}, {"dp", "4"}, {"ep", "2"}, {"experts", "4"}}, {}, {});
    const Workload job = GenerateHalf(pair, {});
    const WhatIfJob made =
        ApplyWhatIf(job, FindStructure(job, {}, {}), ParseWhatIf({"sequence=64"}));
    CHECK(std::ranges::any_of(made.notes,
                              [](const std::string& note)
                              { return note.starts_with("Sums of gradients keep their layers"); }));
    CHECK(made.job.GraphOf(RankId{0}).NodeCount() == job.GraphOf(RankId{0}).NodeCount());
}

TEST_CASE("What-if: copies of a single one sum gradients in buckets", "[unit][trace-tools]")
{
    CheckPairs({
        {{{"layers", "8"}, {"positions", "rotary"}},
         {{"dp", "1"}, {"batch", "2"}},
         {{"dp", "2"}, {"batch", "4"}, {"bucket", "190 KB"}}},
        {{{"layers", "8"}, {"pp", "2"}, {"positions", "rotary"}},
         {{"dp", "1"}, {"batch", "4"}},
         {{"dp", "3"}, {"batch", "12"}, {"bucket", "290 KB"}}},
    });
}

TEST_CASE("What-if: buckets that do not tell what a layer has are refused", "[unit][trace-tools]")
{
    const auto message = [](const std::string& bucket, ModelValues values)
    {
        const WhatIfPair pair =
            InBuckets(bucket, std::move(values), {{"layers", "4"}}, {{"layers", "6"}});
        return ConfigErrorText([&] { MakeWhatIf(GenerateHalf(pair, pair.from), pair.to); });
    };
    CHECK(message("1 MB", {}) ==
          "transformer stage 0: sums of gradients span several layers, and none is of whole layers "
          "alone, which would tell how many bytes each layer has; a recording with smaller buckets "
          "tells");
    CHECK(message("290 KB", {{"dp", "4"}, {"ep", "2"}, {"experts", "4"}})
              .ends_with("some are of experts, whose parts of a bucket are unknown; a recording in "
                         "which each layer has its own sums tells"));
}

TEST_CASE("What-if: buckets of another size are refused with experts", "[unit][trace-tools]")
{
    const ModelValues experts{{"layers", "4"}, {"dp", "4"}, {"experts", "4"}, {"top-k", "2"}};
    const std::string end =
        "the layers have experts, or sums of their gradients apart from others, and how these "
        "share buckets is unknown; leave bucket out";
    for (const std::string ep : {"1", "2", "4"}) // with a single copy of each, and with several
    {
        for (const std::string bucket : {"1 KB", "290 KB", "1 MB"})
        {
            CAPTURE(ep, bucket);
            ModelValues values = experts;
            values["ep"] = ep;
            const Workload job = GenerateHalf(InBuckets("0 B", values, {}, {}), {});
            const std::string text = ConfigErrorText(
                [&] {
                    MakeWhatIf(job, {{"bucket", bucket}});
                });
            CHECK(text.ends_with(end));
        }
    }
}

TEST_CASE("What-if: sums of gradients of experts that are put in are in no bucket",
          "[unit][trace-tools]")
{
    const WhatIfPair pair{
        {{"layers", "4"}, {"experts", "4"}, {"top-k", "2"}, {"positions", "rotary"}},
        {{"dp", "1"}, {"batch", "2"}},
        {{"dp", "2"}, {"batch", "4"}, {"bucket", "290 KB"}}};
    CHECK_THROWS_WITH(MakeWhatIf(GenerateHalf(pair, pair.from), pair.to),
                      Catch::EndsWith("leave bucket out"));
}

} // namespace nadi::test
