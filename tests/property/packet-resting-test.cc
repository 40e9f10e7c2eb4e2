// SPDX-License-Identifier: GPL-2.0-only
// Queue pairs that are given back while they rest go on as if they had been kept.
#include "tests/support/case-count.h"
#include "tests/support/packet-forms.h"
#include "tests/support/packet-net.h"
#include "tests/support/train-case.h"

#include <algorithm>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr const char* KEY = "ns3::FabricProtocol::MostResting";

struct KeptPairs
{
    uint32_t kept = 0; ///< whole, in the end
    uint64_t givenBack = 0;
};

/// So many NPUs around a switch, each of which sends to all others, `rounds` times.
KeptPairs
CountKeptPairs(uint32_t npus,
               int rounds,
               const std::string& mostResting,
               const std::string& congestionControl = "none")
{
    PacketOptions options;
    options.memo = false; // the second round would be answered
    options.congestionControl.name = congestionControl;
    options.ns3 = {{KEY, mostResting, ""}};
    PacketNet net(
        MakeStar(npus, Bandwidth::FromBitsPerSecond(100'000'000'000), SimTime::FromNs(500)),
        options);
    for (int round = 0; round < rounds; ++round)
    {
        for (uint32_t source = 0; source < npus; ++source)
        {
            for (uint32_t step = 1; step < npus; ++step)
            {
                net.SendAt(SimTime::FromUs(100 * round),
                           MakeMessage(source, (source + step) % npus, Bytes(10'000)));
            }
        }
    }
    net.Run();
    for (const auto& delivered : net.AllDelivered())
    {
        REQUIRE(delivered);
    }
    return {net.Backend().QueuePairCount(), net.Backend().ReadTotals().pairsGivenBack};
}

} // namespace

TEST_CASE("Queue pairs: those that rest are kept as far as there is room", "[property][packet]")
{
    const uint32_t npus = 20;
    const uint32_t pairs = (npus - 1) * npus;
    const KeptPairs few = CountKeptPairs(npus, 3, "2");
    CHECK(few.kept == 2 * npus);
    // All queue pairs send in each round; then each NIC gives back all of its own but two.
    CHECK(few.givenBack == 3 * (pairs - 2 * npus));
    const KeptPairs all = CountKeptPairs(npus, 3, "0");
    CHECK(all.kept == pairs);
    CHECK(all.givenBack == 0);
}

TEST_CASE("Queue pairs: DCQCN that no notification has reached does not keep them",
          "[property][packet]")
{
    const uint32_t npus = 20;
    const uint32_t pairs = (npus - 1) * npus;
    const KeptPairs unmarked = CountKeptPairs(npus, 2, "2", "dcqcn"); // without ECN
    CHECK(unmarked.kept == 2 * npus);
    CHECK(unmarked.givenBack == 2 * (pairs - 2 * npus));
    const KeptPairs measured = CountKeptPairs(npus, 2, "2", "swift"); // has seen round trips
    CHECK(measured.kept == pairs);
}

TEST_CASE("Queue pairs: digests with nearly all of them given back are those with all kept",
          "[property][packet]")
{
    uint32_t casesGivenBack = 0; // rate controls that have acted and losses keep queue pairs
    const uint32_t count = CaseCount{.reduced = 15, .normal = 60, .full = 5000}.Pick();
    for (uint64_t seed = 0; seed < count; ++seed)
    {
        const TrainCase kept = DrawTrainCase(seed);
        const auto setsAttributes = [](const std::string& setting)
        { return setting.starts_with("network.ns3"); };
        if (std::any_of(kept.settings.begin(), kept.settings.end(), setsAttributes))
        {
            continue;
        }
        TrainCase givenBack = kept;
        givenBack.settings.emplace_back("network.packet.memo=off");
        givenBack.settings.push_back(std::string("network.ns3={\"") + KEY + "\": 1}");
        CAPTURE(seed);
        const TrainCase::Outcome outcome = givenBack.RunToEnd("on");
        REQUIRE(outcome.text == kept.Run("on"));
        casesGivenBack += outcome.totals.pairsGivenBack > 0 ? 1 : 0;
    }
    CHECK(casesGivenBack > count / 10);
}
