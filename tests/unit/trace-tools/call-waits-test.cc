// SPDX-License-Identifier: GPL-2.0-only
// Waiting and transferring of recorded collectives.
#include "tests/support/trace-edit-bench.h"
#include "workload/tools/structure/call-waits.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace nadi::test
{

namespace
{

std::vector<RecordedOrder>
ReadOrders(const TraceJob& job)
{
    std::vector<RecordedOrder> orders;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        orders.push_back(ReadRecordedOrder(job.ReadRank(rank), job.GraphOf(rank)));
    }
    return orders;
}

CallWaits
SeparateMegatron(uint32_t ranks)
{
    const TraceJob job =
        ReadTraceJob(SampleFiles(SampleTrace("megatron-tp8/megatron."), ranks, ".et.gz"),
                     std::nullopt,
                     AbsentRanks::LeftOut);
    return SeparateWaits(job.workload, ReadOrders(job));
}

/// In microseconds; of even numbers of values the mean of the two in the middle.
double
MedianMicros(std::vector<uint64_t> nanos)
{
    std::ranges::sort(nanos);
    const size_t upper = nanos.size() / 2;
    const size_t lower = (nanos.size() - 1) / 2;
    return static_cast<double>(nanos[lower] + nanos[upper]) / 2000;
}

/// Two ranks, whose calls last so many microseconds each.
Workload
MakeCalls(const std::vector<std::vector<int64_t>>& microsOfRanks)
{
    Workload job;
    job.communicators.push_back({});
    for (uint32_t rank = 0; rank < microsOfRanks.size(); ++rank)
    {
        ExecutionGraphBuilder builder("calls");
        uint64_t id = 0;
        for (const int64_t micros : microsOfRanks[rank])
        {
            builder.AddNode({.id = id++,
                             .durationPs = micros * 1'000'000,
                             .size = 64,
                             .type = NodeType::Collective},
                            "call");
        }
        job.graphs.push_back(builder.Build());
        job.graphOfRank.push_back(rank);
        job.communicators[0].ranks.push_back(RankId{rank});
        job.communicatorOfGroup.push_back({CommunicatorId{0}});
    }
    return job;
}

} // namespace

TEST_CASE("SeparateWaits: the member that comes last waits for nobody", "[unit][trace-tools]")
{
    const CallWaits waits = SeparateWaits(MakeCalls({{50, 20}, {20, 90}}), {});
    CHECK(waits.transfers == std::vector<uint64_t>{20'000, 20'000});
    REQUIRE(waits.ofRank[0].size() == 2);
    CHECK(waits.ofRank[0][0].waitNanos == (50 - 20) * 1000);
    CHECK(waits.ofRank[0][1].waitNanos == 0);
    CHECK(waits.ofRank[1][0].waitNanos == 0);
    CHECK(waits.ofRank[1][1].waitNanos == (90 - 20) * 1000);
    CHECK(waits.notes.empty());
}

TEST_CASE("SeparateWaits: where all members say their waits, each has its own transfer",
          "[unit][trace-tools]")
{
    Workload job;
    job.communicators.push_back({CommunicatorId{0}, {RankId{0}, RankId{1}}});
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        // The root of a broadcast is done in 15 us. The other one waits for 40 us and gets the data
        // for another 60. Of the second call rank 0 does not say its wait.
        ExecutionGraphBuilder builder("waits");
        for (uint64_t id = 0; id < 2; ++id)
        {
            builder.AddNode({.id = id,
                             .durationPs = (rank == 0 ? 15 : 100) * int64_t{1'000'000},
                             .size = 64,
                             .type = NodeType::Collective,
                             .collective = CollectiveType::Broadcast},
                            "call");
            if (rank == 1 || id == 0)
            {
                builder.SetWait(SimTime::FromNs(rank == 0 ? 0 : 40'000));
            }
        }
        job.graphs.push_back(builder.Build());
        job.graphOfRank.push_back(rank);
        job.communicatorOfGroup.push_back({CommunicatorId{0}});
    }
    const CallWaits waits = SeparateWaits(job, {});
    CHECK(waits.transfers == std::vector<uint64_t>{60'000, 15'000});
    CHECK(waits.ofRank[0][0].transferNanos == 15'000);
    CHECK(waits.ofRank[0][0].waitNanos == 0);
    CHECK(waits.ofRank[1][0].transferNanos == 60'000);
    CHECK(waits.ofRank[1][0].waitNanos == 40'000);
    CHECK(waits.ofRank[1][1].transferNanos == 15'000);
    CHECK(waits.ofRank[1][1].waitNanos == 85'000);
    // Of one rank alone, too, nothing has to be guessed.
    job.communicators[0].ranks = {RankId{1}};
    job.graphs.erase(job.graphs.begin());
    job.graphOfRank = {0};
    job.communicatorOfGroup.pop_back();
    const CallWaits alone = SeparateWaits(job, {});
    CHECK(alone.transfers == std::vector<uint64_t>{60'000, 60'000});
    CHECK(alone.notes.empty());
}

TEST_CASE("SeparateWaits: with one rank the low decile of equal calls stands in",
          "[unit][trace-tools]")
{
    // Of 11 calls, the second shortest is at place floor(10 / 10) = 1.
    const CallWaits waits =
        SeparateWaits(MakeCalls({{30, 12, 10, 40, 50, 60, 70, 80, 90, 95, 99}}), {});
    REQUIRE(waits.ofRank[0].size() == 11);
    CHECK(waits.ofRank[0][0].transferNanos == 12'000);
    CHECK(waits.ofRank[0][0].waitNanos == (30 - 12) * 1000);
    CHECK(waits.ofRank[0][2].transferNanos == 10'000); // no longer than the call itself
    CHECK(waits.ofRank[0][2].waitNanos == 0);
    REQUIRE(waits.notes.size() == 1);
    CHECK(waits.notes[0].starts_with("11 calls were recorded on one member"));
}

TEST_CASE("SeparateWaits: calls without a recorded time are left out", "[unit][trace-tools]")
{
    const CallWaits waits = SeparateWaits(MakeCalls({{0, 20}, {0, 30}}), {});
    CHECK(waits.transfers == std::vector<uint64_t>{20'000});
    CHECK(waits.ofRank[0].size() == 1);
}

// The numbers are those of the recording itself: the least duration over eight ranks of each of 84
// all-reduces, and their distribution.
TEST_CASE("SeparateWaits: a recorded Megatron transfers for 599 us in the median",
          "[unit][trace-tools]")
{
    const CallWaits waits = SeparateMegatron(8);
    REQUIRE(waits.transfers.size() == 84);
    CHECK(MedianMicros(waits.transfers) == 599);
    CHECK(*std::ranges::max_element(waits.transfers) / 1000 == 722);
    uint64_t longestWait = 0;
    for (const std::vector<CallTime>& calls : waits.ofRank)
    {
        REQUIRE(calls.size() == 84);
        for (const CallTime& call : calls)
        {
            CHECK(call.transferNanos == waits.transfers[call.call]);
            longestWait = std::max(longestWait, call.waitNanos);
        }
    }
    CHECK(longestWait > 41'000'000); // of a call of 42.4 ms
}

TEST_CASE("SeparateWaits: one rank of that Megatron comes within 5 % of its eight",
          "[unit][trace-tools]")
{
    const CallWaits alone = SeparateMegatron(1);
    CHECK(alone.notes.size() == 1);
    CHECK(MedianMicros(alone.transfers) == Approx(599).epsilon(0.05));
}

} // namespace nadi::test
