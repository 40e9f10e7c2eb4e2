// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/pytorch-bench.h"
#include "tests/support/trace-edit-bench.h"
#include "workload/document/recorded-ranks.h"
#include "workload/tools/editing/job-merge.h"
#include "workload/tools/editing/node-anonymiser.h"
#include "workload/tools/editing/replication.h"
#include "workload/tools/editing/trace-slice.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

TEST_CASE("Convert: traces keep how many ranks the recorded job had, also without names",
          "[unit][trace-tools]")
{
    KinetoText text;
    text.Launch("product", 3, 4, 8, 1, 7).Distributed(0, 8);
    const ConvertedRank converted(text);
    CHECK(converted.Notes("the recorded job had 8 ranks, of which 1 is converted"));
    ChakraProtoMsg::GlobalMetadata metadata = converted.Document().metadata;
    CHECK(ReadRecordedRanks(metadata) == 8U);
    AnonymiseMetadata(metadata);
    CHECK(ReadRecordedRanks(metadata) == 8U);
    CHECK_FALSE(ReadRecordedRanks(LoadNodes({Kernel(1)}).document.metadata));
}

TEST_CASE("Trace edits: a job that is made of recorded ranks does not have those of the recording",
          "[unit][trace-tools]")
{
    const ScratchFolder folder("recorded-ranks");
    const std::vector<std::string> files = WriteRanks(folder, "job", {{Kernel(1)}, {Kernel(1)}});
    for (const std::string& file : files)
    {
        TraceDocument document = ReadDocument(file);
        WriteRecordedRanks(8, document.metadata);
        std::ofstream(file, std::ios::binary) << FormatDocument(document);
    }
    const TraceJob job = ReadTraceJob(files, std::nullopt);
    const auto ranksIn = [](TraceEdit&& edit)
    { return ReadRecordedRanks(edit.MakeDocument(0).metadata); };
    CHECK_FALSE(ranksIn(Replication(job, 4, {})));
    CHECK_FALSE(ranksIn(JobMerge(job, job)));
    CHECK_FALSE(ranksIn(TraceSlice(job, {.ranks = {1}})));
    CHECK(ranksIn(TraceSlice(job, {.ranks = {0, 1}})) == 8U);
}
