// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/hash.h"
#include "network/event-loop/ns3/ns3-event-loop.h"
#include "network/packet/fabric-builder.h"
#include "network/packet/fabric-routing-adapter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace nadi::test
{

/// The least `network.packet.buffer` that every node of the fabric accepts.
/// Requires: no event loop exists.
inline Bytes
FindLeastBuffer(const Topology& topology, const Routing& routing, PacketOptions options)
{
    const Ns3EventLoop loop(std::nullopt);
    options.buffer = Bytes(int64_t{1} << 50); // finite, as it will be
    const BuiltFabric built = BuildFabric(topology, options);
    built.fabric->SetRouting(
        ns3::CreateObject<FabricRoutingAdapter>(topology, routing, built, options));
    uint64_t least = 1;
    for (uint32_t v = 0; v < topology.VertexCount(); ++v)
    {
        least = std::max(least, built.fabric->GetNode(v).ComputeLeastBuffer());
    }
    built.fabric->SetRouting(nullptr);
    return Bytes(static_cast<int64_t>(least));
}

/// A network on which priority flow control cannot deadlock, with mechanisms of all kinds, and
/// messages or collectives on it: all drawn from a seed.
class RandomNetwork
{
  public:
    explicit RandomNetwork(uint64_t seed)
        : m_seed(seed)
    {
        DrawFabric();
    }

    /// The configuration, complete but for `network.packet.buffer`.
    std::string Yaml() const
    {
        return DrawWorkload() + "output: {flows: true}\nnetwork:\n" + m_fabric + "  packet:\n" +
               DrawFrames() + DrawMechanisms();
    }

    /// What a buffer may be larger than the least one.
    Bytes DrawMargin() const
    {
        return Bytes(Pick<int64_t>("margin", {0, 1, 4160, 20'000}));
    }

    /// Every name of a congestion control.
    static const std::vector<std::string>& Controls()
    {
        static const std::vector<std::string> controls{
            "none", "dcqcn", "hpcc", "timely", "swift", "dctcp"};
        return controls;
    }

  private:
    uint64_t Draw(const std::string& purpose, uint64_t which = 0) const
    {
        uint64_t text = 0;
        for (const char letter : purpose)
        {
            text = Hash64({text, static_cast<uint64_t>(letter)});
        }
        return Hash64({m_seed, text, which});
    }

    template <typename T>
    T Pick(const std::string& purpose, const std::vector<T>& choices, uint64_t which = 0) const
    {
        return choices[Draw(purpose, which) % choices.size()];
    }

    std::string PickText(const std::string& purpose,
                         const std::vector<std::string>& choices,
                         uint64_t which = 0) const
    {
        return Pick(purpose, choices, which);
    }

    /// "bandwidth: 100 Gb/s, latency: 500 ns"
    std::string DrawLink(uint64_t which) const
    {
        return "bandwidth: " + PickText("rate", {"25 Gb/s", "100 Gb/s", "400 Gb/s"}, which) +
               ", latency: " + PickText("latency", {"0 ns", "7 ns", "500 ns", "2 us"}, which);
    }

    void DrawFabric()
    {
        switch (Draw("fabric") % 6)
        {
        case 0:
            return DrawStack(1, 12);
        case 1:
            return DrawStack(2, 5);
        case 2:
            m_npus = 12;
            return SetGenerator(
                fmt::format("leaf-spine, npus: 12, npus-per-leaf: {}, spines: {}, uplink: {{{}}}, "
                            "link",
                            Pick<int>("leaf", {3, 4, 6}),
                            Pick<int>("spines", {1, 2, 3}),
                            DrawLink(1)));
        case 3:
            m_npus = 16;
            return SetGenerator(
                fmt::format("fat-tree, npus: 16, radix: 4, uplink: {{{}}}, link", DrawLink(1)));
        case 4:
            m_npus = 12;
            return SetGenerator(fmt::format(
                "rail, nodes: 3, npus-per-node: 4, spines: 2, nvlink: {{{}}}, nic", DrawLink(1)));
        default:
            m_npus = 8;
            return SetGenerator(fmt::format("nodes, nodes: 2, npus-per-node: 4, nics-per-node: 2, "
                                            "leaves: 2, spines: 2, nvlink: {{{}}}, nic",
                                            DrawLink(1)));
        }
    }

    void SetGenerator(const std::string& parameters)
    {
        m_fabric = fmt::format("  topology: {{generator: {}: {{{}}}}}\n", parameters, DrawLink(0));
    }

    void DrawStack(uint32_t dimensions, uint32_t largest)
    {
        m_npus = 1;
        m_fabric = "  dimensions:\n";
        for (uint32_t i = 0; i < dimensions; ++i)
        {
            const auto size = static_cast<uint32_t>(2 + Draw("size", i) % (largest - 1));
            m_npus *= size;
            m_fabric +=
                fmt::format("  - {{shape: {}, size: {}, {}}}\n",
                            PickText("shape", {"ring", "switch", "fully-connected", "mesh"}, i),
                            size,
                            DrawLink(i));
        }
    }

    std::string DrawFrames() const
    {
        return fmt::format("    payload: {} B\n    header: {} B\n    control-frame: {} B\n",
                           Pick<int>("payload", {256, 1000, 4096}),
                           Pick<int>("header", {0, 64}),
                           Pick<int>("control", {1, 64, 84}));
    }

    std::string DrawMechanisms() const
    {
        const std::vector<std::string> balancers{"ecmp", "spray", "flowlet", "adaptive"};
        const std::vector<std::string> switchings{"store-and-forward", "cut-through"};
        return "    congestion-control: " + PickText("congestion", Controls()) +
               "\n    ecn: {min: 2 KB, max: 20 KB, probability: 0.5}" +
               "\n    pfc: {alpha: " + PickText("alpha", {"1/64", "1/8", "1", "8"}) +
               "}\n    window: " + PickText("window", {"none", "bdp", "10 KB"}) +
               "\n    load-balancing: " + PickText("balancing", balancers) +
               "\n    switching: " + PickText("switching", switchings) +
               "\n    switch-latency: " + PickText("pipeline", {"0 ns", "300 ns"}) +
               "\n    loss-recovery: " + PickText("recovery", {"go-back-n", "selective"}) + "\n";
    }

    std::string DrawWorkload() const
    {
        if (Draw("workload") % 3 == 0)
        {
            return fmt::format("workload: {{collective: {{type: {}, size: {} B}}}}\n",
                               PickText("type", {"all-to-all", "all-reduce", "all-gather"}),
                               100 + Draw("bytes") % 60'000);
        }
        std::string flows;
        const bool isIncast = Draw("incast") % 2 == 0;
        for (uint32_t i = 0; i < 4 * m_npus; ++i)
        {
            const auto source = static_cast<uint32_t>(1 + Draw("source", i) % (m_npus - 1));
            const auto step = static_cast<uint32_t>(1 + Draw("step", i) % (m_npus - 1));
            flows += fmt::format("  - {{src: {}, dst: {}, size: {} B, at: {} ns}}\n",
                                 source,
                                 isIncast ? 0 : (source + step) % m_npus,
                                 Draw("flow", i) % 30'000,
                                 Draw("start", i) % 3 == 0 ? Draw("at", i) % 3000 : 0);
        }
        return "workload:\n  flows:\n" + flows;
    }

    uint64_t m_seed;
    uint32_t m_npus = 0;
    std::string m_fabric;
};

} // namespace nadi::test
