// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/exchange-board.h"

#include <catch2/catch.hpp>

#include <malloc.h>

using namespace nadi;

namespace
{

PointToPointCall
MakeExchangeCall(PointToPointCall::Direction direction, uint64_t tag)
{
    const bool isSend = direction == PointToPointCall::Direction::Send;
    return {.direction = direction,
            .rank = RankId{isSend ? 0U : 1U},
            .peer = RankId{isSend ? 1U : 0U},
            .tag = tag,
            .size = Bytes(8),
            .token = 0,
            .node = NodeId{tag},
            .name = ""};
}

uint32_t
Send(ExchangeBoard& board, uint64_t tag)
{
    return board.Join(MakeExchangeCall(PointToPointCall::Direction::Send, tag), SimTime());
}

uint32_t
Receive(ExchangeBoard& board, uint64_t tag)
{
    return board.Join(MakeExchangeCall(PointToPointCall::Direction::Receive, tag), SimTime());
}

void
Finish(ExchangeBoard& board, uint32_t index)
{
    board[index].isSendDone = true;
    board[index].isReceiveDone = true;
    board.Remove(index);
}

} // namespace

TEST_CASE("ExchangeBoard: the n-th send meets the n-th receive, in whatever order they come",
          "[unit][system]")
{
    ExchangeBoard board;
    const uint32_t first = Send(board, 7);
    const uint32_t second = Send(board, 7);
    const uint32_t other = Receive(board, 8);
    CHECK(board.OpenChannels() == 2);
    CHECK(Receive(board, 7) == first);
    CHECK(Receive(board, 7) == second);
    CHECK(board.OpenChannels() == 1);
    const uint32_t third = Receive(board, 7); // now receives wait
    CHECK(Send(board, 7) == third);
    CHECK(Send(board, 8) == other);
    CHECK(board.OpenChannels() == 0);
    CHECK(board[first].ordinal == 0);
    CHECK(board[second].ordinal == 1);
    CHECK(board[third].ordinal == 2);
    CHECK(board[other].ordinal == 0);
}

TEST_CASE("ExchangeBoard: a message is numbered on, also when those before it are gone",
          "[unit][system]")
{
    ExchangeBoard board;
    for (uint64_t ordinal = 0; ordinal < 3; ++ordinal)
    {
        const uint32_t index = Send(board, 7);
        CHECK(Receive(board, 7) == index);
        CHECK(board[index].ordinal == ordinal);
        Finish(board, index);
    }
}

TEST_CASE("ExchangeBoard: a tag that was used leaves no more than a count", "[unit][system]")
{
    constexpr uint64_t tags = 100'000;
    ExchangeBoard board;
    const size_t before = mallinfo2().uordblks;
    for (uint64_t tag = 0; tag < tags; ++tag)
    {
        const uint32_t index = Receive(board, tag);
        REQUIRE(Send(board, tag) == index);
        Finish(board, index);
    }
    CHECK(board.OpenChannels() == 0);
    // A node of a hash table (a link, 16 bytes of key, 8 of count, 16 of the allocator's) and a
    // bucket, which may be twice too many.
    CHECK(mallinfo2().uordblks - before < tags * (8 + 16 + 8 + 16 + 2 * 8));
}
