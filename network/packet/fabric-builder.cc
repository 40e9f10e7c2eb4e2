// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/fabric-builder.h"

#include "common/error.h"
#include "common/unit-parser.h"
#include "network/message.h"
#include "network/packet/congestion-controls.h"
#include "network/packet/load-balancers.h"
#include "network/packet/ns3-values.h"
#include "network/packet/part-types.h"

#include <fmt/format.h>
#include <ns3/boolean.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/fabric-helper.h>
#include <ns3/fabric-protocol.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <string>

namespace nadi
{

namespace
{

ns3::Time
ToNs3(SimTime time)
{
    return ns3::TimeStep(static_cast<uint64_t>(time.Ps()));
}

/// A part of a frame as an attribute. Throws ConfigError unless least <= size <= LARGEST_FRAME, as
/// the attribute would stop the program. Configurations are refused when they are read, which
/// options of other programs are not.
ns3::UintegerValue
ToFrameSize(const std::string& key, Bytes size, Bytes least)
{
    if (size < least || size > LARGEST_FRAME)
    {
        throw ConfigError("network.packet." + key,
                          fmt::format("{} B is no size of a frame; write {} B to 1 GiB",
                                      size.Count(),
                                      least.Count()));
    }
    return ns3::UintegerValue(static_cast<uint64_t>(size.Count()));
}

ns3::UintegerValue
ToBytes(Bytes size)
{
    return ns3::UintegerValue(static_cast<uint64_t>(size.Count()));
}

void
SetProtocol(ns3::FabricHelper& helper, const PacketOptions& options)
{
    helper.SetProtocolAttribute("Payload", ToFrameSize("payload", options.payload, Bytes(1)));
    helper.SetProtocolAttribute("Header", ToFrameSize("header", options.header, Bytes(0)));
    helper.SetProtocolAttribute("ControlFrame",
                                ToFrameSize("control-frame", options.controlFrame, Bytes(1)));
    static_assert(ACKNOWLEDGE_MESSAGES == ns3::FabricProtocol::ONLY_LAST_OF_MESSAGE);
    helper.SetProtocolAttribute("FramesPerAcknowledgement",
                                ns3::UintegerValue(options.framesPerAcknowledgement.value_or(0)));
    helper.SetProtocolAttribute("FirstSilentStream", ns3::UintegerValue(FIRST_TREE_STREAM.value));
    const bool isBandwidthDelay = options.window.kind == WindowChoice::Kind::BandwidthDelayProduct;
    helper.SetProtocolAttribute("BandwidthDelayWindow", ns3::BooleanValue(isBandwidthDelay));
    helper.SetProtocolAttribute("Window", ToBytes(options.window.size));
    const bool isSelective = options.lossRecovery == LossRecovery::Selective;
    helper.SetProtocolAttribute("LossRecovery",
                                ns3::StringValue(isSelective ? "Selective" : "GoBackN"));
    helper.SetProtocolAttribute(
        "RetransmitTimeout", ns3::TimeValue(ToNs3(options.retransmitTimeout.value_or(SimTime()))));
    helper.SetProtocolAttribute("Trains", ns3::BooleanValue(options.trains));
    helper.SetProtocolAttribute("Seed", ns3::UintegerValue(options.seed));
}

/// Requires: the configuration has checked the parameters.
void
SetCongestionControl(ns3::FabricHelper& helper, const ComponentChoice& choice)
{
    if (choice.name == NO_CONGESTION_CONTROL)
    {
        return;
    }
    const PartKind kind = CongestionControlKind();
    helper.UseCongestionControl(FindPartType(kind, choice.name).GetName());
    SetPartParameters(kind,
                      choice,
                      [&helper](const auto& name, const auto& value)
                      { helper.SetCongestionControlAttribute(name, ns3::StringValue(value)); });
}

/// Requires: the configuration has checked the parameters.
void
SetLoadBalancer(ns3::FabricHelper& helper, const ComponentChoice& choice)
{
    if (choice.name == ECMP)
    {
        return;
    }
    const PartKind kind = LoadBalancerKind();
    helper.UseLoadBalancer(FindPartType(kind, choice.name).GetName());
    SetPartParameters(kind,
                      choice,
                      [&helper](const auto& name, const auto& value)
                      { helper.SetLoadBalancerAttribute(name, ns3::StringValue(value)); });
}

/// Sets an attribute of everything that forwards frames.
void
SetNodeAttribute(ns3::FabricHelper& helper,
                 const std::string& name,
                 const ns3::AttributeValue& value)
{
    helper.SetNicAttribute(name, value);
    helper.SetSwitchAttribute(name, value);
}

/// What nodes do with frames in transit. NICs get the same memory as switches, for those that
/// forward.
void
SetForwarding(ns3::FabricHelper& helper, const PacketOptions& options)
{
    SetNodeAttribute(helper, "BufferSize", ToBytes(options.buffer.value_or(Bytes())));
    SetNodeAttribute(helper, "Pfc", ns3::BooleanValue(options.pfc.has_value()));
    if (options.pfc)
    {
        SetNodeAttribute(helper, "PfcAlpha", ns3::DoubleValue(options.pfc->alpha));
        SetNodeAttribute(helper, "PfcHeadroom", ToBytes(options.pfc->headroom.value_or(Bytes())));
    }
    helper.SetSwitchAttribute("Latency", ns3::TimeValue(ToNs3(options.switchLatency)));
    helper.SetSwitchAttribute("CutThrough",
                              ns3::BooleanValue(options.switching == Switching::CutThrough));
    if (options.ecn)
    {
        helper.SetPortAttribute("MarkMin", ToBytes(options.ecn->min));
        helper.SetPortAttribute("MarkMax", ToBytes(options.ecn->max));
        helper.SetPortAttribute("MarkProbability", ns3::DoubleValue(options.ecn->probability));
    }
}

/// Requires: no node is made yet, as a node takes over the attributes of the time when it is made.
void
SetAttributes(ns3::FabricHelper& helper, const PacketOptions& options)
{
    SetProtocol(helper, options);
    SetCongestionControl(helper, options.congestionControl);
    SetLoadBalancer(helper, options.loadBalancing);
    SetForwarding(helper, options);
    for (const Ns3Attribute& attribute : options.ns3)
    {
        ApplyNs3Attribute(helper, attribute); // last, so that it has its way
    }
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
        }
        else if (topology.Vertex(VertexId{v}).kind == VertexKind::Memory)
        {
            helper.InstallNic(nodes.back()); // nothing waits in it for the latency of a switch
        }
        else
        {
            helper.InstallSwitch(nodes.back());
        }
    }
    return nodes;
}

/// Where the user said how much the nodes of this kind store: the last one counts.
std::string
FindBufferPlace(VertexKind kind, const PacketOptions& options)
{
    const std::string own = kind == VertexKind::Switch ? "ns3::FabricSwitch" : "ns3::FabricNic";
    std::string place = options.bufferWhere;
    for (const Ns3Attribute& attribute : options.ns3)
    {
        if (attribute.name == own + "::BufferSize" ||
            attribute.name == "ns3::FabricNode::BufferSize")
        {
            place = attribute.where;
        }
    }
    return place;
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
        // A channel of the fabric carries both directions. Links are visited by id, so the ports of
        // each node come in the order of the links that leave it, which FabricRoutingAdapter relies
        // on.
        if (link.reverse < link.id)
        {
            continue; // connected with the other direction
        }
        const TopologyLink& back = topology.Link(link.reverse);
        // Connect makes the channel with these delays, and its ports read them at once.
        helper.SetChannelAttribute("Delay", ns3::TimeValue(ToNs3(link.latency)));
        helper.SetChannelAttribute("ReverseDelay", ns3::TimeValue(ToNs3(back.latency)));
        const ns3::NetDeviceContainer ends =
            helper.Connect(nodes[link.from.value], nodes[link.to.value]);
        // The rate is set afterwards, because the helper makes all ports alike, and here each
        // direction has a rate of its own.
        built.portOfLink[link.id.value] = SetRate(ends.Get(0), link.bandwidth);
        built.portOfLink[back.id.value] = SetRate(ends.Get(1), back.bandwidth);
    }
    return built;
}

/// Comes before the check of the fabric, which would stop the program without naming a key.
void
CheckBuffers(const Topology& topology, const BuiltFabric& built, const PacketOptions& options)
{
    for (uint32_t v = 0; v < topology.VertexCount(); ++v)
    {
        const ns3::FabricNode& node = built.fabric->GetNode(v);
        const uint64_t size = node.GetBufferSize();
        if (size == 0)
        {
            continue;
        }
        const uint64_t least = node.ComputeLeastBuffer();
        if (least > size)
        {
            const TopologyVertex& vertex = topology.Vertex(VertexId{v});
            throw ConfigError(FindBufferPlace(vertex.kind, options),
                              fmt::format("{} is too small for {}; with these links it needs at "
                                          "least {} B; write that or more, or smaller frames or "
                                          "latencies",
                                          ToText(Bytes(static_cast<int64_t>(size))),
                                          vertex.name,
                                          least));
        }
    }
}

} // namespace nadi
