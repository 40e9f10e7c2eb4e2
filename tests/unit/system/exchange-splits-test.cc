// SPDX-License-Identifier: GPL-2.0-only
// All-to-alls whose members send a size of its own to each member.
#include "common/error.h"
#include "common/hash.h"
#include "system/execution/uneven-sizes.h"
#include "tests/support/communication-bench.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// What each member sends to each member.
using SplitRows = std::vector<std::vector<uint64_t>>;

/// Sizes below `most`, one in four of them zero.
SplitRows
DrawRows(uint64_t seed, uint32_t members, uint64_t most)
{
    SplitRows rows(members, std::vector<uint64_t>(members));
    for (uint32_t from = 0; from < members; ++from)
    {
        for (uint32_t to = 0; to < members; ++to)
        {
            const uint64_t draw = Hash64({seed, from, to});
            rows[from][to] = draw % 4 == 0 ? 0 : (draw >> 8) % most;
        }
    }
    return rows;
}

CommunicationBench::Setup
MakeExchangeSetup(uint32_t ranks, uint32_t chunks, const std::string& algorithm = "ring")
{
    CommunicationBench::Setup setup;
    setup.stack = {MakeDimension("ring", ranks)};
    setup.options = MakeOptions(algorithm, setup.stack);
    setup.options.scheduling.chunks = chunks;
    return setup;
}

CollectiveCall
MakeExchange(uint32_t rank, uint64_t elements, SharedSplits splits, uint32_t communicator = 0)
{
    return {.rank = RankId{rank},
            .communicator = CommunicatorId{communicator},
            .type = CollectiveType::AllToAll,
            .elements = elements,
            .root = {},
            .token = 1,
            .node = NodeId{100 + rank},
            .name = "exchange",
            .splits = std::move(splits)};
}

SharedSplits
ShareSplits(const std::vector<uint64_t>& sends, const std::vector<uint64_t>& receives = {})
{
    return std::make_shared<const ExchangeSplits>(
        ExchangeSplits{.sends = sends, .receives = receives});
}

uint64_t
SumOf(const std::vector<uint64_t>& sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), uint64_t{0});
}

void
CallWithRows(CommunicationBench& bench, const SplitRows& rows)
{
    for (uint32_t rank = 0; rank < rows.size(); ++rank)
    {
        bench.CallAt(SimTime(), MakeExchange(rank, SumOf(rows[rank]), ShareSplits(rows[rank])));
    }
}

/// What was sent from each rank to each.
SplitRows
SentBetween(const CommunicationBench& bench)
{
    SplitRows sent(bench.RankCount(), std::vector<uint64_t>(bench.RankCount()));
    for (const auto& [message, at] : bench.Network().Sent())
    {
        sent[message.source.value][message.destination.value] +=
            static_cast<uint64_t>(message.size.Count());
    }
    return sent;
}

SplitRows
WithoutOwn(SplitRows rows)
{
    for (size_t member = 0; member < rows.size(); ++member)
    {
        rows[member][member] = 0;
    }
    return rows;
}

std::string
ErrorOf(CommunicationBench& bench)
{
    try
    {
        bench.Run();
    }
    catch (const JobError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("UnevenSizes: the chunks of a pair add up to its split", "[unit][system]")
{
    for (const uint32_t chunks : {1U, 3U, 16U})
    {
        const SplitRows rows = DrawRows(chunks, 5, 40);
        std::vector<MemberSizes> members;
        for (const std::vector<uint64_t>& row : rows)
        {
            members.push_back({SumOf(row), ShareSplits(row)});
        }
        const UnevenSizes sizes(CollectiveType::AllToAll, members, chunks);
        for (uint32_t from = 0; from < 5; ++from)
        {
            for (uint32_t to = 0; to < 5; ++to)
            {
                const Transfer transfer{.origin = from, .peer = to, .range = {to, to + 1}};
                uint64_t sum = 0;
                for (uint32_t chunk = 0; chunk < chunks; ++chunk)
                {
                    const uint64_t elements = sizes.ElementsOf(chunk, transfer);
                    CHECK(sizes.IsLeftOut(chunk, transfer) == (elements == 0));
                    sum += elements;
                }
                CHECK(sum == rows[from][to]);
            }
        }
    }
}

TEST_CASE("UnevenSizes: without splits a message of nothing is sent", "[unit][system]")
{
    const UnevenSizes sizes(CollectiveType::AllToAll, {{.elements = 0}, {.elements = 8}}, 1);
    CHECK_FALSE(sizes.IsLeftOut(0, {.origin = 0, .peer = 1, .range = {1, 2}}));
    CHECK(sizes.SentElements() == std::vector<uint64_t>{0, 4});
    CHECK(sizes.ReceivedElements() == std::vector<uint64_t>{4, 0});
}

TEST_CASE("All-to-all: each pair moves its split, in any number of chunks, and nothing for zero",
          "[unit][system]")
{
    for (uint64_t seed = 0; seed < 40; ++seed)
    {
        const auto ranks = static_cast<uint32_t>(2 + Hash64({seed, 1}) % 6);
        const auto chunks = static_cast<uint32_t>(1 + Hash64({seed, 2}) % 5);
        const SplitRows rows = DrawRows(seed, ranks, 1000);
        CAPTURE(seed, ranks, chunks);
        CommunicationBench bench(MakeExchangeSetup(ranks, chunks));
        CallWithRows(bench, rows);
        bench.Run();
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            CHECK(bench.CompletionOf(rank, 1).count == 1);
        }
        CHECK(SentBetween(bench) == WithoutOwn(rows));
        for (const auto& [message, at] : bench.Network().Sent())
        {
            CHECK(message.size > Bytes(0));
        }
        CHECK(bench.Collectives().FindPending().empty());
        CHECK(bench.Collectives().Usage().arrivals == 0);
        CHECK(bench.Loop().TieCount() == 0);
    }
}

TEST_CASE("All-to-all: the record names the largest row and column", "[unit][system]")
{
    // Rank 2 receives 30 + 40 from others; rank 1 sends 40 + 5, and keeps 100.
    const SplitRows rows{{7, 1, 30}, {5, 100, 40}, {2, 3, 0}};
    CommunicationBench bench(MakeExchangeSetup(3, 1));
    CallWithRows(bench, rows);
    bench.Run();
    const CollectiveRecord& record = bench.Records().front();
    REQUIRE(record.extremes);
    CHECK(record.extremes->out == Bytes(45));
    CHECK(record.extremes->sender == RankId{1});
    CHECK(record.extremes->in == Bytes(70));
    CHECK(record.extremes->receiver == RankId{2});
    CHECK(record.size == Bytes(145)); // the largest row, as the calls say it
    CHECK(record.decision.algorithm == "direct");
}

TEST_CASE("All-to-all: splits that are equal parts are no splits", "[unit][system]")
{
    constexpr uint64_t SIZE = 1003; // parts of 250 or 251
    for (const char* algorithm : {"ring", "direct"})
    {
        CommunicationBench plain(MakeExchangeSetup(4, 2, algorithm));
        CommunicationBench split(MakeExchangeSetup(4, 2, algorithm));
        std::vector<uint64_t> sends;
        for (uint32_t part = 0; part < 4; ++part)
        {
            sends.push_back(PartOf({0, SIZE}, part, 4).Length());
        }
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            plain.CallAt(SimTime(), MakeExchange(rank, SIZE, nullptr));
            split.CallAt(SimTime(), MakeExchange(rank, SIZE, ShareSplits(sends)));
        }
        plain.Run();
        split.Run();
        CHECK(split.Fingerprint().Hex() == plain.Fingerprint().Hex());
        CHECK(split.Records().front().decision.algorithm == algorithm);
        CHECK_FALSE(split.Records().front().extremes);
    }
}

TEST_CASE("All-to-all: a member without splits beside others sends equal parts", "[unit][system]")
{
    CommunicationBench bench(MakeExchangeSetup(3, 1));
    bench.CallAt(SimTime(), MakeExchange(0, 60, ShareSplits({0, 60, 0})));
    bench.CallAt(SimTime(), MakeExchange(1, 90, nullptr));
    bench.CallAt(SimTime(), MakeExchange(2, 0, ShareSplits({0, 0, 0})));
    bench.Run();
    CHECK(SentBetween(bench) == SplitRows{{0, 60, 0}, {30, 0, 30}, {0, 0, 0}});
    CHECK(bench.CompletionOf(2, 1).count == 1);
}

TEST_CASE("All-to-all: members that send nothing at all are done at once", "[unit][system]")
{
    CommunicationBench bench(MakeExchangeSetup(3, 4));
    CallWithRows(bench, {{8, 0, 0}, {0, 0, 0}, {0, 0, 3}});
    bench.Run();
    CHECK(bench.Network().Sent().empty());
    for (uint32_t rank = 0; rank < 3; ++rank)
    {
        CHECK(bench.CompletionOf(rank, 1).count == 1);
        CHECK(bench.CompletionOf(rank, 1).at == SimTime());
    }
}

TEST_CASE("All-to-all: splits go by the order of the group's list", "[unit][system]")
{
    CommunicationBench::Setup setup = MakeExchangeSetup(4, 1);
    Communicator backwards;
    backwards.ranks = {RankId{3}, RankId{1}, RankId{0}, RankId{2}};
    setup.communicators.push_back(backwards);
    CommunicationBench bench(setup);
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        // To ranks 3, 1, 0 and 2.
        bench.CallAt(SimTime(), MakeExchange(rank, 1111, ShareSplits({1000, 100, 1, 10}), 1));
    }
    bench.Run();
    CHECK(SentBetween(bench) == WithoutOwn({4, std::vector<uint64_t>{1, 100, 10, 1000}}));
}

TEST_CASE("All-to-all: splits that do not fit are refused, with rank and node", "[unit][system]")
{
    const auto fails = [](const CollectiveCall& first, const CollectiveCall& second)
    {
        CommunicationBench bench(MakeExchangeSetup(2, 1));
        bench.CallAt(SimTime(), first);
        bench.CallAt(SimTime(), second);
        return ErrorOf(bench);
    };
    const CollectiveCall good = MakeExchange(1, 5, ShareSplits({4, 1}, {6, 1}));
    // Rank 0 receives its own 2 and the 4 of rank 1.
    CHECK(fails(MakeExchange(0, 8, ShareSplits({2, 6}, {2, 4})), good).empty());
    CHECK_THAT(fails(MakeExchange(0, 9, ShareSplits({2, 6})), good),
               Catch::Contains("sends 8 B to the members in all, but calls it with 9 B") &&
                   Catch::Contains("rank 0") && Catch::Contains("100"));
    CHECK_THAT(fails(MakeExchange(0, 8, ShareSplits({8})), good),
               Catch::Contains("gives sizes for 1 member; the group has 2"));
    const CollectiveCall other = MakeExchange(1, 5, ShareSplits({3, 2}));
    CHECK_THAT(fails(MakeExchange(0, 8, ShareSplits({2, 6}, {2, 4})), other),
               Catch::Contains("sends 3 B to rank 0") && Catch::Contains("receives 4 B from it") &&
                   Catch::Contains("101"));
    // A member without splits sends equal parts: of 9 B the first has 4.
    const CollectiveCall plain = MakeExchange(1, 9, nullptr);
    CHECK(fails(MakeExchange(0, 8, ShareSplits({2, 6}, {2, 4})), plain).empty());
    CHECK_THAT(fails(MakeExchange(0, 8, ShareSplits({2, 6}, {2, 5})), plain),
               Catch::Contains("sends 4 B to rank 0") && Catch::Contains("receives 5 B from it"));
    CollectiveCall reduce = MakeExchange(0, 8, ShareSplits({2, 6}));
    reduce.type = CollectiveType::AllReduce;
    CHECK_THAT(fails(reduce, good), Catch::Contains("only all-to-alls"));
}
