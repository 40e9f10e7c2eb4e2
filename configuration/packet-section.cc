// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/packet-section.h"

#include "configuration/congestion-control-codec.h"
#include "configuration/packet-codecs.h"
#include "common/unit-parser.h"
#include "network/packet/congestion-controls.h"

namespace nadi
{

namespace
{

Section
DescribeFrames(PacketOptions& packet)
{
    return {
        MakeField("payload", packet.payload, MakePositiveSizeCodec(), "of a full frame"),
        MakeField("header",
                  packet.header,
                  MakeSizeCodec(),
                  "added to every data frame on the wire; 0 B is allowed"),
        MakeField("control-frame",
                  packet.controlFrame,
                  MakePositiveSizeCodec(),
                  "whole wire size of an acknowledgement, NACK, CNP or pause frame"),
        MakeField("acknowledge",
                  packet.framesPerAcknowledgement,
                  MakeAcknowledgeCodec(),
                  "data frames per acknowledgement; auto: one per message, or one per frame where "
                  "the congestion control needs it"),
        MakeField("trains",
                  packet.trains,
                  MakeSwitchCodec(),
                  "fold undisturbed frames into one event; never changes a result"),
    };
}

Section
DescribeSending(PacketOptions& packet)
{
    return {
        MakeField("congestion-control",
                  packet.congestionControl,
                  MakeCongestionControlCodec(),
                  "how senders adapt their rate: a name, or {name: ..., <parameters>}; see nadi "
                  "list congestion-controls"),
        MakeField("window",
                  packet.window,
                  MakeWindowCodec(),
                  "unacknowledged payload of a queue pair: none, bdp (line rate times base round "
                  "trip) or a size"),
        MakeField("loss-recovery",
                  packet.lossRecovery,
                  MakeChoiceCodec<LossRecovery>({{"go-back-n", LossRecovery::GoBackN},
                                                 {"selective", LossRecovery::Selective}}),
                  "what is sent again after a loss"),
        MakeField("retransmit-timeout",
                  packet.retransmitTimeout,
                  MakeOptionalCodec("auto", MakePositiveTimeCodec()),
                  "without an acknowledgement; auto: from the path"),
    };
}

Section
DescribePfc(PfcOptions& pfc)
{
    return {
        MakeField("headroom",
                  pfc.headroom,
                  MakeOptionalCodec("auto", MakeSizeCodec()),
                  "per ingress port and priority, for what arrives after a pause; auto: exactly "
                  "enough"),
        MakeField("alpha",
                  pfc.alpha,
                  MakeFractionCodec(),
                  "share of the free buffer that one ingress may hold before its pause"),
    };
}

Section
DescribeEcn(EcnOptions& ecn)
{
    return {
        MakeField("min", ecn.min, MakeSizeCodec(), "up to this queue no frame is marked"),
        MakeField("max", ecn.max, MakeSizeCodec(), "beyond this queue every frame is marked"),
        MakeField("probability",
                  ecn.probability,
                  MakeProbabilityCodec(),
                  "of a mark at max, rising from 0 at min"),
    };
}

Section
DescribeSwitches(PacketOptions& packet)
{
    return {
        MakeField("pfc",
                  packet.pfc,
                  MakeSwitchedCodec<PfcOptions>(&DescribePfc, "on, off or {headroom, alpha}"),
                  "priority flow control: on, off or {headroom, alpha}; needs a buffer"),
        MakeField("ecn",
                  packet.ecn,
                  MakeSwitchedCodec<EcnOptions>(&DescribeEcn, "off, on or {min, max, probability}"),
                  "marks of congestion: off, on or {min, max, probability}"),
        MakeField("buffer",
                  packet.buffer,
                  MakeOptionalCodec("unlimited", MakePositiveSizeCodec()),
                  "of each switch"),
        MakeField("load-balancing",
                  packet.loadBalancing,
                  MakeChoiceCodec<LoadBalancing>({{"ecmp", LoadBalancing::Ecmp},
                                                  {"spray", LoadBalancing::Spray},
                                                  {"flowlet", LoadBalancing::Flowlet},
                                                  {"adaptive", LoadBalancing::Adaptive}}),
                  "which of several equally good ways a frame takes"),
        MakeField("switching",
                  packet.switching,
                  MakeChoiceCodec<Switching>({{"store-and-forward", Switching::StoreAndForward},
                                              {"cut-through", Switching::CutThrough}}),
                  "when a switch passes a frame on"),
        MakeField("switch-latency",
                  packet.switchLatency,
                  MakeTimeCodec(),
                  "between a frame's arrival at a switch and its queueing"),
    };
}

void
CheckPfc(const ConfigNode& node, const PacketOptions& packet)
{
    if (packet.pfc && !packet.buffer)
    {
        node.Find("pfc")->Fail("an unlimited buffer never fills, so nothing would ever pause; "
                               "write a network.packet.buffer such as 32 MB");
    }
}

void
CheckEcn(const ConfigNode& node, const PacketOptions& packet)
{
    if (packet.ecn && packet.ecn->min > packet.ecn->max)
    {
        node.Find("ecn")->Fail("min (" + ToText(packet.ecn->min) + ") is above max (" +
                               ToText(packet.ecn->max) +
                               "); write a min that is at most max, such as {min: 400 KB, max: "
                               "1600 KB}");
    }
}

void
CheckAcknowledge(const ConfigNode& node, const PacketOptions& packet)
{
    const ConfigNode* given = node.Find("acknowledge");
    const std::string& control = packet.congestionControl.name;
    const bool isCoarse = given != nullptr && given->text != "auto" &&
                          packet.framesPerAcknowledgement != std::optional<uint32_t>(1);
    if (isCoarse && FindCongestionControl(control)->answersEveryFrame)
    {
        given->Fail("\"" + given->text + "\" is too coarse: " + control +
                    " acts on an acknowledgement per frame; write auto or frame");
    }
}

void
Append(Section& section, Section more)
{
    section.insert(section.end(), more.begin(), more.end());
}

Section
DescribePacket(NetworkConfig& network)
{
    Section section = DescribeFrames(network.packet);
    Append(section, DescribeSending(network.packet));
    Append(section, DescribeSwitches(network.packet));
    return section;
}

} // namespace

Field
MakePacketField(NetworkConfig& network)
{
    Field field = MakeSectionField("packet", DescribePacket(network), "the packet network");
    field.read = [&network, read = field.read](const ConfigNode& node)
    {
        read(node);
        CheckPfc(node, network.packet);
        CheckEcn(node, network.packet);
        CheckAcknowledge(node, network.packet);
    };
    return field;
}

} // namespace nadi
