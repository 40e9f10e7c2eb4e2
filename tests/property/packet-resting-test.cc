// SPDX-License-Identifier: GPL-2.0-only
// Queue pairs that are given back while they rest go on as if they had been kept.
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

/// So many NPUs around a switch, each of which sends to all others, `rounds` times.
uint32_t
CountKeptPairs(uint32_t npus, int rounds, const std::string& mostResting)
{
    PacketOptions options;
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
    return net.Backend().QueuePairCount();
}

} // namespace

TEST_CASE("Queue pairs: those that rest are kept as far as there is room", "[property][packet]")
{
    const uint32_t npus = 20;
    CHECK(CountKeptPairs(npus, 3, "2") == 2 * npus);
    CHECK(CountKeptPairs(npus, 3, "0") == (npus - 1) * npus);
}

TEST_CASE("Queue pairs: digests with nearly all of them given back are those with all kept",
          "[property][packet]")
{
    const uint32_t count = CaseCount{.reduced = 30, .normal = 200, .full = 5000}.Pick();
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
        givenBack.settings.push_back(std::string("network.ns3={\"") + KEY + "\": 1}");
        CAPTURE(seed);
        REQUIRE(givenBack.Run("on") == kept.Run("on"));
    }
}
