// SPDX-License-Identifier: GPL-2.0-only
// Do all backends carry what a protocol adds to a message?
#include "network/analytical/analytical-backend.h"
#include "network/flow/flow-backend.h"
#include "network/packet/packet-backend.h"
#include "tests/support/packet-net.h"

#include <catch2/catch.hpp>

#include <functional>
#include <memory>

using namespace nadi;

namespace
{

const Bandwidth OVERHEAD_LINK = Bandwidth::FromBytesPerSecond(1'000'000'000);

using MakeBackend = std::function<std::unique_ptr<NetworkBackend>(
    const Topology&, const Routing&, const PacketOptions&, Ns3EventLoop&)>;

template <class Backend>
MakeBackend
Maker()
{
    return [](const Topology& topology,
              const Routing& routing,
              const PacketOptions& options,
              Ns3EventLoop& loop)
    { return std::make_unique<Backend>(topology, routing, options, loop); };
}

/// Keeps the last delivery.
class LastDelivery : public DeliveryListener
{
  public:
    void OnMessageDelivered(const Delivery& delivery) override
    {
        last = delivery;
    }

    std::optional<Delivery> last;
};

struct Carriage
{
    Delivery delivery;
    Bytes wire; ///< on the one link
};

Carriage
Carry(const MakeBackend& make, Bytes size, Bytes overhead)
{
    const Topology topology = MakeLine(2, OVERHEAD_LINK, SimTime::FromNs(500));
    const ShortestPathRouting routing(topology);
    Ns3EventLoop loop;
    const auto network = make(topology, routing, {}, loop);
    LastDelivery listener;
    network->SetListener(listener);
    network->Send({.source = VertexId{0},
                   .destination = VertexId{1},
                   .size = size,
                   .stream = POINT_TO_POINT_STREAM,
                   .key = {},
                   .overhead = overhead});
    loop.Run();
    REQUIRE(listener.last);
    return {*listener.last, network->ReadLink(LinkId{0}).bytes};
}

} // namespace

TEST_CASE("NetworkBackend: the overhead of a message is carried like its payload, and counts apart",
          "[component][network]")
{
    const std::vector<MakeBackend> backends{
        Maker<PacketBackend>(), Maker<FlowBackend>(), Maker<AnalyticalBackend>()};
    const Bytes size(10'000);
    const Bytes overhead(7'000);
    for (const MakeBackend& make : backends)
    {
        const Carriage with = Carry(make, size, overhead);
        const Carriage without = Carry(make, size, Bytes());
        const Carriage asPayload = Carry(make, size + overhead, Bytes());
        CHECK(with.delivery.delivered == asPayload.delivery.delivered);
        CHECK(with.delivery.delivered > without.delivery.delivered);
        CHECK(with.wire == asPayload.wire);
        CHECK(with.delivery.message.size == size);
    }
}
