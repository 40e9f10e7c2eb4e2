// SPDX-License-Identifier: GPL-2.0-only
// Which nodes store frames in transit: those that the routing may send them over.
#include "network/make-routing.h"
#include "network/packet/fabric-routing-adapter.h"
#include "network/stack-topology.h"
#include "network/topology-generator.h"
#include "tests/support/packet-net.h"
#include "tests/support/stacks.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

using namespace nadi;

namespace
{

constexpr int64_t FORWARDING_BUFFER = 32'000'000;

/// Two nodes of two NPUs, each of which has a port inside its node and a NIC.
Topology
MakeTwoRails(const std::string& spines)
{
    const std::map<std::string, std::string> rail{{"nodes", "2"},
                                                  {"npus-per-node", "2"},
                                                  {"nvlink.bandwidth", "400 GB/s"},
                                                  {"nvlink.latency", "100 ns"},
                                                  {"nic.bandwidth", "50 GB/s"},
                                                  {"nic.latency", "500 ns"},
                                                  {"spines", spines}};
    return GenerateTopology({"rail", rail});
}

/// A fabric of finite buffers whose first message was posted, so that it is prepared.
class PreparedFabric
{
  public:
    explicit PreparedFabric(const Topology& topology, bool expectsFailures = false)
        : m_routing(MakeRouting(topology))
        , m_built(BuildFabric(topology, MakeFinite()))
        , m_adapter(
              ns3::CreateObject<FabricRoutingAdapter>(topology, *m_routing, m_built, MakeFinite()))
    {
        if (expectsFailures)
        {
            m_adapter->ExpectFailures();
        }
        m_built.fabric->SetRouting(m_adapter);
        m_built.fabric->Post(m_built.fabric->OpenQueuePair({0, 1, 0}), 1, 0);
    }

    bool HasBuffer(VertexId vertex) const
    {
        return m_built.fabric->GetNode(vertex.value).GetBuffer() != nullptr;
    }

  private:
    static PacketOptions MakeFinite()
    {
        PacketOptions options;
        options.buffer = Bytes(FORWARDING_BUFFER);
        options.pfc.emplace();
        return options;
    }

    Ns3EventLoop m_loop;
    std::unique_ptr<Routing> m_routing;
    BuiltFabric m_built;
    ns3::Ptr<FabricRoutingAdapter> m_adapter;
};

void
CheckBuffered(const Topology& topology, bool areNpusBuffered, bool expectsFailures = false)
{
    const PreparedFabric fabric(topology, expectsFailures);
    for (VertexId vertex{0}; vertex.value < topology.VertexCount(); ++vertex.value)
    {
        CAPTURE(vertex.value);
        const bool isNpu = topology.Vertex(vertex).kind == VertexKind::Npu;
        CHECK(fabric.HasBuffer(vertex) == (!isNpu || areNpusBuffered));
    }
}

} // namespace

TEST_CASE("PacketBackend: NPUs with two ports that no route crosses have no buffer",
          "[unit][packet]")
{
    CheckBuffered(MakeTwoRails("1"), false);
}

TEST_CASE("PacketBackend: NPUs that routes cross have a buffer", "[unit][packet]")
{
    CheckBuffered(MakeTwoRails("0"), true); // rails meet in the NPUs only
    CheckBuffered(MakeStackTopology(MakeStack({{"ring", 4}, {"ring", 4}})), true);
}

TEST_CASE("PacketBackend: where links may fail, all NPUs with two ports have a buffer",
          "[unit][packet]")
{
    CheckBuffered(MakeTwoRails("1"), true, true);
}

TEST_CASE("PacketBackend: a buffer need not hold what could come to an NPU that forwards nothing",
          "[unit][packet]")
{
    // PFC needs two latencies x rate of memory for each port of a node that forwards: 80 MB for the
    // link that joins the NPUs. The switch has slow, short links only.
    PacketOptions options;
    options.pfc.emplace();
    options.buffer = Bytes(1'000'000);
    Topology topology;
    const VertexId left = topology.AddVertex(VertexKind::Npu, "npu0");
    const VertexId right = topology.AddVertex(VertexKind::Npu, "npu1");
    const VertexId middle = topology.AddVertex(VertexKind::Switch, "switch");
    const Bandwidth slow = Bandwidth::FromBitsPerSecond(1'000'000'000);
    topology.AddLink(left, middle, slow, SimTime::FromNs(1));
    topology.AddLink(right, middle, slow, SimTime::FromNs(1));
    topology.AddLink(
        left, right, Bandwidth::FromBytesPerSecond(400'000'000'000), SimTime::FromUs(100));
    PacketNet net(std::move(topology), options);
    net.SendAt(SimTime(), MakeMessage(0, 1, Bytes(1)));
    net.Run();
    CHECK(net.Delivered(0));
}
