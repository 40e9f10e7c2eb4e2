// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/packet-section.h"

#include "common/unit-parser.h"
#include "configuration/component-codec.h"
#include "configuration/packet-codecs.h"
#include "network/packet/congestion-controls.h"
#include "network/packet/load-balancers.h"

#include <string>
#include <vector>

namespace nadi
{

namespace
{

/// `codec` for a part of a frame, which the fabric takes up to LARGEST_FRAME.
Codec<Bytes>
MakeFrameSizeCodec(Codec<Bytes> codec)
{
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        const Bytes size = read(node);
        if (size > LARGEST_FRAME)
        {
            node.Fail("\"" + node.text + "\" is too large for a frame; write at most " +
                      ToText(LARGEST_FRAME));
        }
        return size;
    };
    return codec;
}

Section
DescribeFrames(PacketOptions& packet)
{
    return {
        MakeField("payload",
                  packet.payload,
                  MakeFrameSizeCodec(MakePositiveSizeCodec()),
                  "The payload of a full frame."),
        MakeField("header",
                  packet.header,
                  MakeFrameSizeCodec(MakeSizeCodec()),
                  "The bytes that every data frame has on the wire besides its payload."),
        MakeField("control-frame",
                  packet.controlFrame,
                  MakeFrameSizeCodec(MakePositiveSizeCodec()),
                  "The size on the wire of an acknowledgement, NACK, CNP or pause frame."),
        MakeField(
            "acknowledge",
            packet.framesPerAcknowledgement,
            MakeAcknowledgeCodec(),
            "How many data frames one acknowledgement answers: frame, message, or a number such as "
            "4 frames. With auto it is one per message, or one per frame where there is a window "
            "or "
            "the congestion control needs it."),
        MakeField("memo",
                  packet.memo,
                  MakeSwitchCodec(),
                  "Whether what a part of the network did once is answered from memory when it "
                  "happens again. Changes no result, only how long the run takes."),
        MakeField("trains",
                  packet.trains,
                  MakeSwitchCodec(),
                  "Whether frames that nothing disturbs are simulated together. This makes runs "
                  "faster and "
                  "never changes a result."),
    };
}

/// `check` throws for a parameter that the part of the fabric refuses.
template <class Info>
Codec<ComponentChoice>
MakeFabricPartCodec(const std::string& noun,
                    const std::vector<Info>& parts,
                    void (*check)(const ComponentChoice&))
{
    return MakeComponentCodec({.noun = noun,
                               .nameKey = "name",
                               // Converts each Info to the part that every component has: name,
                               // help and parameters.
                               .components = {parts.begin(), parts.end()},
                               .check = check},
                              ComponentForm::NameOrMapping);
}

Section
DescribeSending(PacketOptions& packet)
{
    return {
        MakeField("congestion-control",
                  packet.congestionControl,
                  MakeFabricPartCodec(
                      "congestion control", DescribeCongestionControls(), &CheckCongestionControl),
                  "How senders adapt their rate: a name, or {name: NAME, <parameters>}."),
        MakeField("window",
                  packet.window,
                  MakeWindowCodec(),
                  "How much payload of a queue pair may be unacknowledged: a size, bdp (line rate "
                  "times the "
                  "round trip without queues), or none for no limit."),
        MakeField("loss-recovery",
                  packet.lossRecovery,
                  MakeChoiceCodec<LossRecovery>({{"go-back-n", LossRecovery::GoBackN},
                                                 {"selective", LossRecovery::Selective}}),
                  "What is sent again after a loss: the lost frame and all after it (go-back-n), "
                  "or the lost "
                  "frame only (selective)."),
        MakeField(
            "retransmit-timeout",
            packet.retransmitTimeout,
            MakeOptionalCodec("auto", MakePositiveTimeCodec()),
            "The time without an acknowledgement after which a queue pair sends again. With "
            "auto it follows from the path, and nothing is sent again where nothing was lost."),
    };
}

Section
DescribePfc(PfcOptions& pfc)
{
    return {
        MakeField(
            "headroom",
            pfc.headroom,
            MakeOptionalCodec("auto", MakePositiveSizeCodec()),
            "The buffer of each ingress port and priority that is kept for what arrives after a "
            "pause. With auto it is what a link can need, and one byte."),
        MakeField(
            "alpha",
            pfc.alpha,
            MakeFractionCodec(),
            "The share of the free buffer that one ingress may hold before it pauses its peer."),
    };
}

/// 0 B would mean a mark on every frame that leaves a queue behind. But the ports of the fabric
/// read it as no marks at all.
Codec<Bytes>
MakeMarkMaxCodec()
{
    Codec<Bytes> codec = MakePositiveSizeCodec();
    codec.read = [read = MakeSizeCodec().read](const ConfigNode& node)
    {
        const Bytes max = read(node);
        if (max == Bytes(0))
        {
            node.Fail("must not be 0; write 1 B to mark every frame that leaves a queue behind");
        }
        return max;
    };
    return codec;
}

Section
DescribeEcn(EcnOptions& ecn)
{
    return {
        MakeField(
            "min", ecn.min, MakeSizeCodec(), "The queue length up to which no frame is marked."),
        MakeField("max",
                  ecn.max,
                  MakeMarkMaxCodec(),
                  "The queue length beyond which every frame is marked."),
        MakeField("probability",
                  ecn.probability,
                  MakeProbabilityCodec(),
                  "The probability of a mark at a queue of max; it rises from 0 at min."),
    };
}

Section
DescribeSwitches(PacketOptions& packet)
{
    return {
        MakeField("pfc",
                  packet.pfc,
                  MakeSwitchedCodec<PfcOptions>(&DescribePfc, "on, off or {headroom, alpha}"),
                  "Priority flow control: off, on, or {headroom, alpha}. It needs a buffer."),
        MakeField("ecn",
                  packet.ecn,
                  MakeSwitchedCodec<EcnOptions>(&DescribeEcn, "off, on or {min, max, probability}"),
                  "Explicit congestion notification, by marks at switches: off, on, or {min, max, "
                  "probability}."),
        MakeField("buffer",
                  packet.buffer,
                  MakeOptionalCodec("unlimited", MakePositiveSizeCodec()),
                  "The buffer of each switch, which all its ports share."),
        MakeField(
            "load-balancing",
            packet.loadBalancing,
            MakeFabricPartCodec("load balancer", DescribeLoadBalancers(), &CheckLoadBalancer),
            "Which of several equally good ways a data frame takes: one by a hash of source, "
            "destination and communicator, so that all calls of a group keep to it for the "
            "whole job (ecmp), a random one for each frame (spray), a new one after a pause of the "
            "queue pair "
            "(flowlet), or the one with the shortest queue (adaptive). The last three choose "
            "where a frame is forwarded; among its own links an NPU chooses one for each "
            "queue pair, as with ecmp."),
        MakeField("switching",
                  packet.switching,
                  MakeChoiceCodec<Switching>({{"store-and-forward", Switching::StoreAndForward},
                                              {"cut-through", Switching::CutThrough}}),
                  "When a switch passes a frame on: when all of it has arrived "
                  "(store-and-forward), or as soon "
                  "as its header has (cut-through)."),
        MakeField("switch-latency",
                  packet.switchLatency,
                  MakeTimeCodec(),
                  "The time between the arrival of a frame at a switch and its place in a queue."),
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

/// Equal bounds are allowed: every frame is marked beyond them, and none below.
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

/// An error and no silent correction: the user has asked for fewer acknowledgements than the
/// congestion control acts on.
void
CheckAcknowledge(const ConfigNode& node, const PacketOptions& packet)
{
    const ConfigNode* given = node.Find("acknowledge");
    const std::string& control = packet.congestionControl.name;
    // "auto" is read as none, which differs from 1 as well. Only its text tells it apart.
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
    Field field = MakeSectionField("packet",
                                   DescribePacket(network),
                                   "The packet network: frames, queue pairs, and switches.");
    field.read = [&network, read = field.read](const ConfigNode& node)
    {
        // The checks are about pairs of keys, so they come after all keys are read.
        read(node);
        if (const ConfigNode* buffer = node.Find("buffer"))
        {
            network.packet.bufferWhere = buffer->Where() + ": " + buffer->Path();
        }
        CheckPfc(node, network.packet);
        CheckEcn(node, network.packet);
        CheckAcknowledge(node, network.packet);
    };
    return field;
}

} // namespace nadi
