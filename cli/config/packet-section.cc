// SPDX-License-Identifier: GPL-2.0-only
#include "cli/config/packet-section.h"

#include "cli/config/not-yet.h"

namespace nadi
{

namespace
{

using FramesPerAcknowledgement = std::optional<uint32_t>;

/// `auto`, `message`, `frame` or "<n> frames".
FramesPerAcknowledgement
ReadAcknowledge(const ConfigNode& node)
{
    const std::string expected = "auto, message, frame or a number such as \"4 frames\"";
    const std::string& text = node.Scalar(expected);
    if (text == "auto" || text == "message")
    {
        return std::nullopt;
    }
    if (text == "frame")
    {
        return 1;
    }
    const size_t digits = text.find_first_not_of("0123456789");
    const std::string unit = digits == std::string::npos ? "" : text.substr(digits);
    const bool isCount = digits != 0 && digits < 10 && (unit == " frames" || unit == " frame");
    const uint64_t count = isCount ? std::stoull(text) : 0;
    if (count == 0 || count > std::numeric_limits<uint32_t>::max())
    {
        node.Fail("\"" + text + "\" is not valid; write " + expected);
    }
    return static_cast<uint32_t>(count);
}

Codec<FramesPerAcknowledgement>
MakeAcknowledgeCodec()
{
    Codec<FramesPerAcknowledgement> codec;
    codec.schema["type"] = "string";
    codec.schema["pattern"] = "^(auto|message|frame|[0-9]+ frames?)$";
    codec.read = &ReadAcknowledge;
    codec.write = [](const FramesPerAcknowledgement& frames) -> Json {
        return !frames ? "auto" : *frames == 1 ? "frame" : std::to_string(*frames) + " frames";
    };
    return codec;
}

Section
DescribeFrames(NetworkConfig& network)
{
    PacketOptions& packet = network.packet;
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
                  "data frames per acknowledgement; auto: one per message"),
        MakeField("trains",
                  network.trains,
                  MakeSwitchCodec(),
                  "fold undisturbed frames into one event; never changes a result"),
    };
}

Section
DescribeCongestion()
{
    return {
        MakeNotYetField({.name = "congestion-control",
                         .defaultText = "none",
                         .help = "how senders adapt their rate",
                         .words = {"none", "dcqcn", "hpcc", "timely", "swift", "dctcp"},
                         .takesParameters = true}),
        MakeNotYetField({.name = "window",
                         .defaultText = "none",
                         .help = "unacknowledged bytes of a queue pair",
                         .words = {"none", "bdp"},
                         .quantity = ParameterKind::Size}),
        MakeNotYetField({.name = "pfc",
                         .defaultText = "off",
                         .help = "priority flow control",
                         .words = {"on", "off"},
                         .keys = {{"headroom", ParameterKind::Word, "auto", "auto or a size"},
                                  {"alpha", ParameterKind::Word, "1/8", "share of the rest"}}}),
        MakeNotYetField({.name = "ecn",
                         .defaultText = "off",
                         .help = "marks of congestion",
                         .words = {"off"},
                         .keys = {{"min", ParameterKind::Size, "400 KB", "no mark below"},
                                  {"max", ParameterKind::Size, "1600 KB", "all marked above"},
                                  {"probability", ParameterKind::Number, "0.2", "at max"}}}),
        MakeNotYetField({.name = "buffer",
                         .defaultText = "unlimited",
                         .help = "of a switch",
                         .words = {"unlimited"},
                         .quantity = ParameterKind::Size}),
        MakeNotYetField({.name = "load-balancing",
                         .defaultText = "ecmp",
                         .help = "which of several equal paths",
                         .words = {"ecmp", "spray", "flowlet", "adaptive"}}),
    };
}

Section
DescribeRecovery()
{
    return {
        MakeNotYetField({.name = "loss-recovery",
                         .defaultText = "go-back-n",
                         .help = "what is sent again after a loss",
                         .words = {"go-back-n", "selective"}}),
        MakeNotYetField({.name = "retransmit-timeout",
                         .defaultText = "auto",
                         .help = "without an acknowledgement",
                         .words = {"auto"},
                         .quantity = ParameterKind::Duration}),
    };
}

void
Append(Section& section, Section more)
{
    section.insert(section.end(), more.begin(), more.end());
}

} // namespace

Section
DescribePacket(NetworkConfig& network)
{
    Section section = DescribeFrames(network);
    Append(section, DescribeCongestion());
    section.push_back(MakeNotYetField({.name = "switching",
                                       .defaultText = "store-and-forward",
                                       .help = "when a switch passes a frame on",
                                       .words = {"store-and-forward", "cut-through"}}));
    section.push_back(MakeField("switch-latency",
                                network.packet.switchLatency,
                                MakeTimeCodec(),
                                "between a frame's arrival at a switch and its queueing"));
    Append(section, DescribeRecovery());
    return section;
}

} // namespace nadi
