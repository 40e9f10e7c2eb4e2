// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/link-codec.h"
#include "configuration/sections.h"

namespace nadi
{

Section
DescribeOutput(OutputConfig& output)
{
    return {
        MakeField("flows", output.flows, MakeSwitchCodec(), "flows.csv, a row per message"),
        MakeField("timeline",
                  output.timeline,
                  MakeSwitchCodec(),
                  "timeline.pftrace, to be opened in Perfetto; with series, link utilization too"),
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
