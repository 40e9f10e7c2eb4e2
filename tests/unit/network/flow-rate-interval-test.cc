// SPDX-License-Identifier: GPL-2.0-only
// FlowBackend: rates that change at most once in an interval.
#include "common/error.h"
#include "common/hash.h"
#include "network/backend-kind.h"
#include "tests/support/config-error-text.h"
#include "tests/support/flow-net.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi::test
{

namespace
{

const SimTime FRAME = Bytes(4096 + 64) / RATE;
const SimTime TAIL = FRAME + LATENCY * 2;

std::vector<std::optional<SimTime>>
RunRandom(uint64_t seed, SimTime interval, bool isReversed)
{
    FlowNet net(MakeRandomTopology(seed), {}, interval);
    const uint32_t npus = net.GetTopology().NpuCount();
    for (uint64_t i = 0; i < 40; ++i)
    {
        const uint64_t draw = Hash64({seed, i});
        const auto from = static_cast<uint32_t>(draw % npus);
        const auto to = static_cast<uint32_t>((from + 1 + draw / 16 % (npus - 1)) % npus);
        // Of one queue pair each, so that the order of calls may be any.
        net.SendAt(SimTime::FromNs(static_cast<int64_t>(draw / 256 % 4 * 300)),
                   From(from, to, static_cast<int64_t>(draw / 4096 % 90'000), i),
                   isReversed ? 40 - i : i);
    }
    net.Run();
    return net.AllDelivered();
}

} // namespace

TEST_CASE("FlowBackend: flows wait for the next change of rates", "[unit][network]")
{
    FlowNet net(MakeSwitch(3), {}, FRAME * 20);
    const uint64_t first = net.SendAt(SimTime(), From(0, 2, 4096 * 100));
    const uint64_t second = net.SendAt(FRAME * 10, From(1, 2, 4096 * 100));
    net.Run();
    // Rates changed at 0. The second waits until 20 frames have left. Then both have half until the
    // first has left, with 20 frames of the second to go, which then are alone at once.
    CHECK(net.Delivered(first) == FRAME * (20 + 80 * 2) + TAIL);
    CHECK(net.Delivered(second) == FRAME * (20 + 80 * 2 + 20) + TAIL);
}

TEST_CASE("FlowBackend: what a flow leaves is not used before the next change of rates",
          "[unit][network]")
{
    FlowNet net(MakeSwitch(3), {}, FRAME * 20);
    const uint64_t large = net.SendAt(SimTime(), From(0, 2, 4096 * 100));
    const uint64_t small = net.SendAt(SimTime(), From(1, 2, 4096 * 5));
    net.Run();
    // Half each. The small one has left after 10 frame times; the large one goes on with its half
    // for 10 more, and has sent 10 frames by then.
    CHECK(net.Delivered(small) == FRAME * 10 + TAIL);
    CHECK(net.Delivered(large) == FRAME * (20 + 90) + TAIL);
}

TEST_CASE("FlowBackend: many ends in an interval change rates once", "[unit][network]")
{
    // 64 to one, each with one frame more than the one before: the port sends 64 * 65 / 2 frames.
    const uint32_t senders = 64;
    const int64_t frames = 2080;
    const SimTime interval = FRAME * (frames / 10);
    FlowNet net(MakeSwitch(senders + 1), {}, interval);
    for (uint32_t i = 0; i < senders; ++i)
    {
        net.SendAt(SimTime(), From(i, senders, 4096 * (int64_t{i} + 1)));
    }
    net.Run();
    const SimTime last = net.Delivered(senders - 1);
    CHECK(last >= FRAME * frames + TAIL); // the port has one rate
    const FairShares::Effort& effort = net.Backend().EffortSoFar();
    CHECK(effort.fillings + effort.linksSettled <=
          static_cast<uint64_t>((last - TAIL).Ps() / interval.Ps()) + 1);
}

TEST_CASE("FlowBackend: with an interval, too, the order of calls changes nothing",
          "[unit][network]")
{
    for (uint64_t seed = 0; seed < 30; ++seed)
    {
        CAPTURE(seed);
        const SimTime interval = SimTime::FromNs(static_cast<int64_t>(1 + seed * 50));
        REQUIRE(RunRandom(seed, interval, false) == RunRandom(seed, interval, true));
        // An interval in which nothing can happen twice is none.
        REQUIRE(RunRandom(seed, SimTime::FromPs(1), false) == RunRandom(seed, {}, false));
    }
}

TEST_CASE("BackendKind: defaults of parameters are written as they are read", "[unit][network]")
{
    for (const ComponentInfo& backend : Registry<BackendKind>::Instance().Describe())
    {
        for (const ParameterSpec& spec : backend.parameters)
        {
            CAPTURE(backend.name, spec.name);
            CHECK(ToText(ParseParameter(spec, spec.defaultText)) == spec.defaultText);
        }
    }
}

TEST_CASE("FlowBackend: an interval longer than collectives is refused", "[unit][network]")
{
    const auto make = [](const std::string& interval) {
        Registry<BackendKind>::Instance().Make({"flow", {{"rate-interval", interval}}});
    };
    make("1 ms");
    CHECK_THAT(ConfigErrorText([&] { make("1001 us"); }),
               Catch::StartsWith("rate-interval: is longer than 1 ms"));
}

} // namespace nadi::test
