// SPDX-License-Identifier: GPL-2.0-only
// What the memo has learned is bounded: it forgets, and where it has answered little, it ends.
#include "tests/support/packet-net.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

#include <optional>
#include <vector>

using namespace nadi;

namespace
{

constexpr uint32_t ROUND_NPUS = 4;

/// The memo may hold so little that it forgets after each instant.
constexpr uint64_t NOTHING = 1;

struct RoundsOutcome
{
    NetworkTotals totals;
    std::vector<std::optional<SimTime>> delivered;
};

/// Every NPU of a star sends to the next one in each round. The sizes of a round are equal.
RoundsOutcome
RunSizedRounds(const std::vector<Bytes>& sizes, const PacketOptions& options, uint32_t copies = 1)
{
    PacketNet net(MakeStar(ROUND_NPUS, RATE, LATENCY), options);
    for (size_t round = 0; round < sizes.size(); ++round)
    {
        for (uint32_t i = 0; i < ROUND_NPUS * copies; ++i)
        {
            net.SendAt(SimTime::FromUs(50 * static_cast<int64_t>(round)),
                       MakeMessage(i % ROUND_NPUS, (i + 1) % ROUND_NPUS, sizes[round], 1 + round));
        }
    }
    net.Run();
    return {net.Backend().ReadTotals(), net.AllDelivered()};
}

PacketOptions
MakeMemoOptions(uint64_t words)
{
    PacketOptions options;
    options.memoWords = words;
    return options;
}

/// The least power of two with which the second of two equal rounds is answered.
uint64_t
FindWordsOfARound(uint32_t copies = 1)
{
    const std::vector<Bytes> sizes(2, Bytes(4000));
    uint64_t words = 1;
    while (RunSizedRounds(sizes, MakeMemoOptions(words), copies).totals.memoAnswered == 0)
    {
        words *= 2;
    }
    return words;
}

} // namespace

TEST_CASE("Memo: where nothing may be kept, nothing is answered, and all arrives as ever",
          "[component][packet][memo]")
{
    const std::vector<Bytes> sizes(5, Bytes(10'000));
    const RoundsOutcome usual = RunSizedRounds(sizes, {});
    const RoundsOutcome forgetful = RunSizedRounds(sizes, MakeMemoOptions(NOTHING));
    CHECK(usual.totals.memoAnswered == 4 * ROUND_NPUS);
    CHECK(forgetful.totals.memoAnswered == 0);
    CHECK(forgetful.delivered == usual.delivered);
}

TEST_CASE("Memo: it forgets what it cannot hold, and learns anew", "[component][packet][memo]")
{
    // Each size comes twice, and the first one once more.
    constexpr int64_t SIZES = 64;
    std::vector<Bytes> sizes;
    for (int64_t size = 1; size <= SIZES; ++size)
    {
        sizes.insert(sizes.end(), 2, Bytes(4000 * size));
    }
    sizes.push_back(Bytes(4000));
    const RoundsOutcome usual = RunSizedRounds(sizes, {});
    CHECK(usual.totals.memoAnswered == (SIZES + 1) * ROUND_NPUS);
    // There is room for a few sizes: a second time is answered but where the memo forgot between,
    // and the third time of the first size is not.
    const RoundsOutcome forgetful =
        RunSizedRounds(sizes, MakeMemoOptions(16 * FindWordsOfARound()));
    CHECK(forgetful.totals.memoMessages == sizes.size() * ROUND_NPUS);
    CHECK(forgetful.totals.memoAnswered <= SIZES * ROUND_NPUS);
    CHECK(forgetful.totals.memoAnswered >= SIZES / 2 * ROUND_NPUS);
    CHECK(forgetful.delivered == usual.delivered);
}

TEST_CASE("Memo: it ends when it is full and has answered fewer than one message in 16",
          "[component][packet][memo]")
{
    // Of the first round so many messages enter that one of them should have been answered.
    const std::vector<Bytes> sizes(5, Bytes(10'000));
    const auto run = [&](uint32_t copies)
    { return RunSizedRounds(sizes, MakeMemoOptions(NOTHING), copies).totals; };
    CHECK(run(3).memoMessages == sizes.size() * 3 * ROUND_NPUS);
    CHECK(run(4).memoMessages == 4 * ROUND_NPUS);
    const RoundsOutcome usual = RunSizedRounds(sizes, {}, 4);
    CHECK(usual.totals.memoMessages == sizes.size() * 4 * ROUND_NPUS);
    CHECK(RunSizedRounds(sizes, MakeMemoOptions(NOTHING), 4).delivered == usual.delivered);
}

TEST_CASE("Memo: it has to answer something by the time when it is full to a sixteenth",
          "[component][packet][memo]")
{
    // Two rounds of four messages are too few to ask for an answer, so the first may take all that
    // the memo may hold. The first of two rounds of eight may take a sixteenth, and takes more.
    CHECK(FindWordsOfARound(2) >= 16 * FindWordsOfARound(1));
}
