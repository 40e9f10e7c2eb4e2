// SPDX-License-Identifier: GPL-2.0-only
// FlowBackend: the order of calls, and that of deliveries.
#include "common/hash.h"
#include "tests/support/flow-net.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace nadi::test
{

TEST_CASE("FlowBackend: the order of the calls of an instant changes nothing", "[unit][network]")
{
    for (uint64_t seed = 0; seed < 30; ++seed)
    {
        std::vector<std::vector<std::optional<SimTime>>> delivered;
        std::vector<std::vector<uint64_t>> orders;
        for (const uint64_t scramble : {0U, 1U, 2U})
        {
            FlowNet net(MakeRandomTopology(seed));
            const uint32_t npus = net.GetTopology().NpuCount();
            for (uint32_t i = 0; i < 60; ++i)
            {
                const uint64_t draw = Hash64({seed, i});
                const auto from = static_cast<uint32_t>(draw % npus);
                const auto to = static_cast<uint32_t>((from + 1 + draw / 16 % (npus - 1)) % npus);
                // A queue pair of its own: the order of sends matters within one.
                net.SendAt(SimTime::FromNs(static_cast<int64_t>(draw / 256 % 4) * 300),
                           From(from, to, static_cast<int64_t>(draw / 4096 % 90'000), i),
                           scramble == 0 ? 0 : Hash64({scramble, i}));
            }
            net.Run();
            CHECK(net.Loop().TieCount() == 0);
            delivered.push_back(net.AllDelivered());
            orders.push_back(net.Order());
        }
        CAPTURE(seed);
        CHECK(delivered[0] == delivered[1]);
        CHECK(delivered[0] == delivered[2]);
        CHECK(orders[0] == orders[1]);
    }
}

TEST_CASE("FlowBackend: deliveries of an instant go up by destination, source and stream",
          "[unit][network]")
{
    const uint32_t count = 15;
    for (const uint32_t factor : {1U, 2U, 4U, 7U}) // none shares a factor with 15
    {
        FlowNet net(MakeSwitch(count));
        std::vector<std::tuple<uint32_t, uint32_t, uint64_t>> names;
        for (uint32_t i = 0; i < 2 * count; ++i)
        {
            // Every rank sends to one and receives from one, in two streams.
            const uint32_t from = i % count;
            const uint32_t to = (from * factor + 1) % count;
            if (from != to)
            {
                const uint64_t stream = (i + from) % 2;
                names.emplace_back(to, from, stream);
                net.SendAt(SimTime(), From(from, to, 4096, stream));
            }
        }
        net.Run();
        std::vector<std::tuple<uint32_t, uint32_t, uint64_t>> delivered;
        for (const uint64_t token : net.Order())
        {
            delivered.push_back(names[token]);
            CHECK(net.Delivered(token) == net.Delivered(0));
        }
        std::sort(names.begin(), names.end());
        CHECK(delivered == names);
    }
}

} // namespace nadi::test
