// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/link-codec.h"
#include "configuration/sections.h"

namespace nadi
{

Section
DescribeOutput(OutputConfig& output)
{
    return {
        MakeField("flows",
                  output.flows,
                  MakeSwitchCodec(),
                  "Whether the results have flows.csv, with a row for each message."),
        MakeField("collectives",
                  output.servedCollectives,
                  MakeChoiceCodec<bool>({{"auto", false}, {"on", true}}),
                  "Whether collectives.csv has a row for each collective. auto: but where requests "
                  "are served, as their collectives may take more memory than the run."),
        MakeField("timeline",
                  output.timeline,
                  MakeSwitchCodec(),
                  "Whether the results have timeline.pftrace, to be opened in Perfetto. With "
                  "series, it shows "
                  "the utilisation of links too."),
        MakeField("recording",
                  output.recording,
                  MakeSwitchCodec(),
                  "Whether the results have the run as if it had been recorded: Chakra traces "
                  "recording/<name>.<rank>.et with the start and duration of each node, which nadi "
                  "trace analyze reads. Not where requests are served."),
        MakeField("series",
                  output.series,
                  MakeOptionalCodec("none", MakePositiveTimeCodec()),
                  "The interval at which series.csv samples the links, or none."),
        MakeField("pcap",
                  output.pcap,
                  MakeListCodec(MakeLinkCodec(), "a list of links, such as [[npu0, leaf0]]"),
                  "The links [a, b] whose frames are captured at a, in pcap/<a>-<b>.pcap."),
    };
}

} // namespace nadi
