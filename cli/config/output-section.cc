// SPDX-License-Identifier: GPL-2.0-only
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
        MakeNotYetField({.name = "series",
                         .defaultText = "none",
                         .help = "series.csv, links sampled at this interval",
                         .words = {"none"},
                         .quantity = ParameterKind::Duration}),
    };
}

} // namespace nadi
