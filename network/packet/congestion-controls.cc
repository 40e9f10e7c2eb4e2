// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/congestion-controls.h"

#include "common/error.h"
#include "common/unit-parser.h"
#include "network/packet/part-types.h"

#include <fmt/format.h>
#include <ns3/fabric-congestion-control.h>
#include <ns3/fabric-helper.h>
#include <ns3/object-factory.h>

#include <algorithm>

namespace nadi
{

namespace
{

CongestionControlInfo
DescribeControl(const ns3::TypeId& type)
{
    // A TypeId knows neither help nor signals, so an object is made, which tells both.
    ns3::ObjectFactory factory;
    factory.SetTypeId(type);
    const auto control = factory.Create<ns3::FabricCongestionControl>();
    const ns3::FabricCongestionSignals signals = control->GetSignals();
    CongestionControlInfo info{DescribePart(CongestionControlKind(), type, control->GetHelp())};
    info.answersEveryFrame = signals.everyAcknowledgement;
    info.needsMarks = signals.marks;
    return info;
}

std::vector<CongestionControlInfo>
FindControls()
{
    std::vector<CongestionControlInfo> controls{
        {ComponentInfo{NO_CONGESTION_CONTROL, "Every queue pair sends at line rate.", {}}}};
    for (const ns3::TypeId& type : ns3::FabricHelper::FindTypes(CongestionControlKind().base))
    {
        controls.push_back(DescribeControl(type));
    }
    return controls;
}

/// Equal thresholds of TIMELY are allowed: no gradient counts then. 0 stands for a multiple of the
/// path's round trip, which is not known here.
void
CheckThresholds(const ComponentChoice& choice)
{
    const Parameters parameters = ParseChoice(*FindCongestionControl(choice.name), choice);
    const SimTime low = parameters.Get<SimTime>("low-threshold");
    const SimTime high = parameters.Get<SimTime>("high-threshold");
    if (high > SimTime() && low > high)
    {
        throw ConfigError(
            "low-threshold",
            fmt::format("{} is above high-threshold ({}), which would have no effect; "
                        "write a low-threshold that is at most high-threshold",
                        ToText(low),
                        ToText(high)));
    }
}

} // namespace

const std::vector<CongestionControlInfo>&
DescribeCongestionControls()
{
    // Made when first asked for: static initialisers register the types, so a list that one of them
    // made might lack some.
    static const std::vector<CongestionControlInfo> controls = FindControls();
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

PartKind
CongestionControlKind()
{
    return {ns3::FabricCongestionControl::GetTypeId(), "", "network.packet.congestion-control"};
}

void
CheckCongestionControl(const ComponentChoice& choice)
{
    CheckPartParameters(CongestionControlKind(), choice);
    if (choice.name == "timely")
    {
        CheckThresholds(choice);
    }
}

} // namespace nadi
