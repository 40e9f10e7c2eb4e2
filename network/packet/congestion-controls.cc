// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/congestion-controls.h"

#include <algorithm>

namespace nadi
{

const std::vector<CongestionControlInfo>&
DescribeCongestionControls()
{
    static const std::vector<CongestionControlInfo> controls{
        {.name = "none", .help = "sends at line rate", .parameters = {}},
        {.name = "dcqcn",
         .help = "rates from marks that the receiver reports in CNPs",
         .parameters = {},
         .needsMarks = true},
        {.name = "hpcc",
         .help = "windows from the link utilization that switches write into frames",
         .parameters = {},
         .answersEveryFrame = true},
        {.name = "timely",
         .help = "rates from the gradient of the round-trip time",
         .parameters = {},
         .answersEveryFrame = true},
        {.name = "swift",
         .help = "windows from the round-trip time against a target",
         .parameters = {},
         .answersEveryFrame = true},
        {.name = "dctcp",
         .help = "windows from the share of marked frames",
         .parameters = {},
         .answersEveryFrame = true,
         .needsMarks = true},
    };
    return controls;
}

const CongestionControlInfo*
FindCongestionControl(const std::string& name)
{
    const std::vector<CongestionControlInfo>& controls = DescribeCongestionControls();
    const auto found = std::find_if(controls.begin(),
                                    controls.end(),
                                    [&name](const CongestionControlInfo& control)
                                    { return control.name == name; });
    return found == controls.end() ? nullptr : &*found;
}

} // namespace nadi
