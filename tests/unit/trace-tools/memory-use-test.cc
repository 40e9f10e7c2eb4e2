// SPDX-License-Identifier: GPL-2.0-only
// Events of PyTorch's allocator. No recording at hand has some: these are written after the form
// in which Kineto publishes them.
#include "common/error.h"
#include "tests/support/config-error-text.h"
#include "tests/support/pytorch-bench.h"
#include "workload/tools/analysis/memory-use.h"
#include "workload/tools/editing/node-anonymiser.h"

#include <catch2/catch.hpp>

namespace nadi::test
{

namespace
{

using Json = KinetoText::Json;

Json
AllocatorArgs(int64_t change, int64_t allocated, int64_t reserved, int64_t device = 0)
{
    return {{"Total Reserved", reserved},
            {"Total Allocated", allocated},
            {"Bytes", change},
            {"Addr", 137224702615552},
            {"Device Id", device},
            {"Device Type", 1},
            {"Ev Idx", 126}};
}

/// A kernel from 2 to 12 us, and what the allocator says meanwhile.
KinetoText
MakeRecordingWithMemory()
{
    KinetoText text;
    text.Operator("aten::mm", 2, 3)
        .Launch("product", 3, 4, 8, 1, 7)
        .Instant("[memory]", 8, AllocatorArgs(-300, 200, 1000)) // events need not be in order
        .Instant("[memory]", 4, AllocatorArgs(400, 500, 1000));
    return text;
}

RecordedMemory
MemoryOf(const ConvertedRank& rank)
{
    return ReadRecordedMemory(rank.Document().metadata, "rank").value();
}

} // namespace

TEST_CASE("PyTorch: a trace keeps what the allocator of its device says, by time",
          "[unit][trace-tools]")
{
    const RecordedMemory memory = MemoryOf(ConvertedRank(MakeRecordingWithMemory()));
    CHECK(memory.device == 0);
    CHECK(memory.nanos == std::vector<int64_t>{4000, 8000});
    CHECK(memory.changeBytes == std::vector<int64_t>{400, -300});
    CHECK(memory.allocatedBytes == std::vector<int64_t>{500, 200});
    CHECK(memory.reservedBytes == std::vector<int64_t>{1000, 1000});
}

TEST_CASE("PyTorch: memory of the host and of other devices, and events without totals, are left "
          "out",
          "[unit][trace-tools]")
{
    KinetoText text = MakeRecordingWithMemory();
    Json host = AllocatorArgs(7, 7, 7, -1);
    host["Device Type"] = 0;
    Json old = AllocatorArgs(9, 9, 9);
    old.erase("Total Allocated");
    text.Instant("[memory]", 5, host)
        .Instant("[memory]", 6, old)
        .Instant("[memory]", 7, AllocatorArgs(5, 5, 5, 1))
        .Instant("something else", 7, Json::object());
    const ConvertedRank converted(text);
    CHECK(MemoryOf(converted).nanos == std::vector<int64_t>{4000, 8000});
    CHECK(converted.Notes("they have no \"Total Allocated\""));
    CHECK(converted.Notes("they are of another device"));
}

TEST_CASE("PyTorch: a recording without allocations has no attribute of them",
          "[unit][trace-tools]")
{
    KinetoText text;
    text.Operator("aten::mm", 2, 3).Launch("product", 3, 4, 8, 1, 7);
    const ConvertedRank converted(text);
    CHECK_FALSE(ReadRecordedMemory(converted.Document().metadata, "rank").has_value());
    CHECK(converted.Document().metadata.attr_size() == 1); // the schema
}

TEST_CASE("PyTorch: an event of the allocator without numbers is refused", "[unit][trace-tools]")
{
    KinetoText text;
    Json args = AllocatorArgs(1, 1, 1);
    args["Bytes"] = "many";
    text.Instant("[memory]", 1, args);
    CHECK(ConfigErrorText([&] { text.Parse(); }) ==
          "kineto.json: event 1 has no whole number \"Bytes\" among its args; an event "
          "\"[memory]\" has ts, and in its args Bytes, Device Type and Device Id");
    KinetoText large;
    large.Instant("[memory]", 1, AllocatorArgs(1, int64_t{1} << 61, 1));
    CHECK(ConfigErrorText([&] { large.Parse(); }).find("which is out of range") !=
          std::string::npos);
}

TEST_CASE("FindMemoryUse: peak, mean and what was there before", "[unit][trace-tools]")
{
    const RecordedMemory memory = MemoryOf(ConvertedRank(MakeRecordingWithMemory()));
    // 100 bytes from 2 to 4 us, 500 to 8 us, 200 to 12 us.
    const MemoryUse use = FindMemoryUse(memory, 2000, 12000);
    CHECK(use.nanos == std::vector<uint64_t>{0, 2000, 6000});
    CHECK(use.allocatedBytes == std::vector<int64_t>{100, 500, 200});
    CHECK(use.peakBytes == 500);
    CHECK(use.peakNanos == 2000);
    CHECK(use.reservedPeakBytes == 1000);
    CHECK(use.meanBytes == Approx((2 * 100 + 4 * 500 + 4 * 200) / 10.0));
}

TEST_CASE("FindMemoryUse: of a part of the recorded time", "[unit][trace-tools]")
{
    const RecordedMemory memory = MemoryOf(ConvertedRank(MakeRecordingWithMemory()));
    const MemoryUse middle = FindMemoryUse(memory, 5000, 7000);
    CHECK(middle.allocatedBytes == std::vector<int64_t>{500});
    CHECK(middle.meanBytes == 500);
    CHECK(FindMemoryUse(memory, 9000, 10000).peakBytes == 200);
    CHECK(FindMemoryUse(memory, 1000, 2000).peakBytes == 100);
}

TEST_CASE("ReadRecordedMemory: lists that do not fit together are refused", "[unit][trace-tools]")
{
    ChakraProtoMsg::GlobalMetadata metadata;
    WriteRecordedMemory({.device = 0,
                         .nanos = {1, 2},
                         .changeBytes = {1, 1},
                         .allocatedBytes = {1, 2},
                         .reservedBytes = {2, 2}},
                        metadata);
    const auto error = [&metadata]
    { return ConfigErrorText([&] { ReadRecordedMemory(metadata, "job.0.et"); }); };
    CHECK(error().empty());
    auto neutral = metadata;
    AnonymiseMetadata(neutral);
    CHECK(ReadRecordedMemory(neutral, "job.0.et")->nanos == std::vector<int64_t>{1, 2});
    metadata.mutable_attr(1)->mutable_int64_list()->set_values(0, 3); // back in time
    CHECK(error().starts_with("job.0.et: the attributes memory_nanos"));
    metadata.mutable_attr(1)->mutable_int64_list()->set_values(0, 1);
    metadata.mutable_attr(4)->mutable_int64_list()->add_values(1); // longer than the others
    CHECK_FALSE(error().empty());
}

} // namespace nadi::test
