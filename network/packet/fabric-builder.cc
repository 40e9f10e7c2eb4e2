// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/fabric-builder.h"

#include "common/check.h"
#include "common/error.h"

#include <fmt/format.h>
#include <ns3/data-rate.h>
#include <ns3/fabric-helper.h>
#include <ns3/nstime.h>
#include <ns3/uinteger.h>

#include <string>

namespace nadi
{

namespace
{

constexpr Bytes MAX_FRAME{int64_t{1} << 30};

ns3::Time
ToNs3(SimTime time)
{
    return ns3::TimeStep(static_cast<uint64_t>(time.Ps()));
}

/// A part of a frame as an attribute. Throws ConfigError unless least <= size <= 1 GiB.
ns3::UintegerValue
ToFrameSize(const std::string& key, Bytes size, Bytes least)
{
    if (size < least || size > MAX_FRAME)
    {
        throw ConfigError("network.packet." + key,
                          fmt::format("{} B is no size of a frame; write {} B to 1 GiB",
                                      size.Count(),
                                      least.Count()));
    }
    return ns3::UintegerValue(static_cast<uint64_t>(size.Count()));
}

void
SetAttributes(ns3::FabricHelper& helper, const PacketOptions& options)
{
    helper.SetNicAttribute("Payload", ToFrameSize("payload", options.payload, Bytes(1)));
    helper.SetNicAttribute("Header", ToFrameSize("header", options.header, Bytes(0)));
    helper.SetNicAttribute("ControlFrame",
                           ToFrameSize("control-frame", options.controlFrame, Bytes(1)));
    helper.SetNicAttribute("FramesPerAcknowledgement",
                           ns3::UintegerValue(options.framesPerAcknowledgement.value_or(0)));
    helper.SetSwitchAttribute("Latency", ns3::TimeValue(ToNs3(options.switchLatency)));
}

ns3::FabricPort*
SetRate(const ns3::Ptr<ns3::NetDevice>& device, Bandwidth rate)
{
    const auto port = ns3::DynamicCast<ns3::FabricPort>(device);
    port->SetDataRate(ns3::DataRate(static_cast<uint64_t>(rate.BitsPerSecond())));
    return ns3::PeekPointer(port);
}

/// The node of each vertex, with its NIC or switch; NICs are listed in `built`.
std::vector<ns3::Ptr<ns3::Node>>
MakeNodes(const Topology& topology, ns3::FabricHelper& helper, BuiltFabric& built)
{
    std::vector<ns3::Ptr<ns3::Node>> nodes;
    for (uint32_t v = 0; v < topology.VertexCount(); ++v)
    {
        nodes.push_back(ns3::CreateObject<ns3::Node>());
        if (topology.Vertex(VertexId{v}).kind == VertexKind::Npu)
        {
            built.nics.push_back(helper.InstallNic(nodes.back()));
            continue;
        }
        helper.InstallSwitch(nodes.back());
    }
    return nodes;
}

} // namespace

BuiltFabric
BuildFabric(const Topology& topology, const PacketOptions& options)
{
    ns3::FabricHelper helper;
    SetAttributes(helper, options);
    BuiltFabric built;
    built.fabric = helper.GetFabric();
    const std::vector<ns3::Ptr<ns3::Node>> nodes = MakeNodes(topology, helper, built);
    built.portOfLink.resize(topology.LinkCount());
    for (uint32_t l = 0; l < topology.LinkCount(); ++l)
    {
        const TopologyLink& link = topology.Link(LinkId{l});
        if (link.reverse < link.id)
        {
            continue; // connected with the other direction
        }
        const TopologyLink& back = topology.Link(link.reverse);
        NADI_CHECK(back.latency == link.latency);
        helper.SetChannelAttribute("Delay", ns3::TimeValue(ToNs3(link.latency)));
        const ns3::NetDeviceContainer ends =
            helper.Connect(nodes[link.from.value], nodes[link.to.value]);
        built.portOfLink[link.id.value] = SetRate(ends.Get(0), link.bandwidth);
        built.portOfLink[back.id.value] = SetRate(ends.Get(1), back.bandwidth);
    }
    return built;
}

} // namespace nadi
