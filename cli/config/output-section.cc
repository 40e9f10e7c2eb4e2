// SPDX-License-Identifier: GPL-2.0-only
#include "cli/config/link-codec.h"
#include "cli/config/not-yet.h"
#include "cli/config/sections.h"

namespace nadi
{

Section
DescribeOutput(OutputConfig& output)
{
    return {
        MakeField("flows", output.flows, MakeSwitchCodec(), "flows.csv, a row per message"),
        MakeNotYetField({.name = "timeline",
                         .defaultText = "off",
                         .help = "timeline.pftrace, for Perfetto",
                         .words = {"on", "off"}}),
        MakeField("series",
                  output.series,
                  MakeOptionalCodec("none", MakePositiveTimeCodec()),
                  "series.csv, links sampled at this interval"),
        MakeField("pcap",
                  output.pcap,
                  MakeListCodec(MakeLinkCodec(), "a list of links, such as [[npu0, leaf0]]"),
                  "pcap/<a>-<b>.pcap for each link [a, b], as captured at the end of a"),
    };
}

} // namespace nadi
