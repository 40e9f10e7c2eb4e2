// SPDX-License-Identifier: GPL-2.0-only
#include "cli/config/not-yet.h"
#include "cli/config/sections.h"

namespace nadi
{

Section
DescribeOutput()
{
    return {
        MakeNotYetField({.name = "flows",
                         .defaultText = "off",
                         .help = "flows.csv, a row per message",
                         .words = {"on", "off"}}),
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
