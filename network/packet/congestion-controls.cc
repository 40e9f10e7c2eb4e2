// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/congestion-controls.h"

#include "common/unit-parser.h"
#include "network/packet/ns3-values.h"

#include <ns3/boolean.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/fabric-congestion-control.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/type-id.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

namespace nadi
{

namespace
{

const std::string PREFIX = "ns3::Fabric";

/// ns-3 types carry no help of their own.
const std::map<std::string, std::string> HELP{
    {"dcqcn",
     "DCQCN (Zhu et al., SIGCOMM 2015) lowers the rate of a sender when the receiver reports ECN "
     "marks in congestion notifications (CNPs), and raises it again by timers."},
    {"dctcp",
     "DCTCP (Alizadeh et al., SIGCOMM 2010) shrinks the window of a sender in proportion to the "
     "share of its bytes that carried ECN marks, and otherwise grows it."},
    {"hpcc",
     "HPCC (Li et al., SIGCOMM 2019) computes the rate and the window of a sender from the link "
     "utilization that switches write into frames."},
    {"swift",
     "Swift (Kumar et al., SIGCOMM 2020) grows the window of a sender while the round-trip time is "
     "below a target, and shrinks it above the target."},
    {"timely",
     "TIMELY (Mittal et al., SIGCOMM 2015) raises or lowers the rate of a sender by the gradient "
     "of its round-trip time."},
};

/// "AdditiveIncrease" -> "additive-increase".
std::string
ToKebabCase(const std::string& name)
{
    std::string text;
    for (const char letter : name)
    {
        const auto code = static_cast<unsigned char>(letter);
        if (std::isupper(code) != 0 && !text.empty())
        {
            text += '-';
        }
        text += static_cast<char>(std::tolower(code));
    }
    return text;
}

/// The bounds of a number, which ns-3 tells as "double 0:1".
NumberRange
FindRange(const ns3::AttributeChecker& checker)
{
    constexpr double huge = 1e300; // what ns-3 writes for a type without bounds
    NumberRange range;
    std::istringstream text(checker.GetUnderlyingTypeInformation());
    std::string type;
    char colon = 0;
    double least = 0;
    double most = 0;
    if (text >> type >> least >> colon >> most)
    {
        range.least = std::max(least, 0.0);
        range.most = most < huge ? most : range.most;
    }
    return range;
}

ParameterSpec
DescribeAttribute(const ns3::TypeId::AttributeInformation& attribute)
{
    const ns3::AttributeValue* initial = ns3::PeekPointer(attribute.initialValue);
    ParameterSpec spec{ToKebabCase(attribute.name), ParameterKind::Word, "", attribute.help};
    spec.defaultText = initial->SerializeToString(attribute.checker);
    if (const auto* time = dynamic_cast<const ns3::TimeValue*>(initial))
    {
        spec.kind = ParameterKind::Duration;
        spec.defaultText = ToText(SimTime::FromPs(time->Get().GetPicoSeconds()));
    }
    else if (const auto* rate = dynamic_cast<const ns3::DataRateValue*>(initial))
    {
        const auto bits = static_cast<int64_t>(rate->Get().GetBitRate());
        spec.kind = ParameterKind::Rate;
        spec.defaultText = bits == 0 ? AUTOMATIC_RATE : ToText(Bandwidth::FromBitsPerSecond(bits));
        spec.words = bits == 0 ? std::vector<std::string>{AUTOMATIC_RATE} : spec.words;
    }
    else if (const auto* number = dynamic_cast<const ns3::DoubleValue*>(initial))
    {
        spec.kind = ParameterKind::Number;
        spec.defaultText = ToText(ParameterValue(number->Get()));
        spec.range = FindRange(*attribute.checker);
    }
    else if (dynamic_cast<const ns3::UintegerValue*>(initial) != nullptr)
    {
        spec.kind = ParameterKind::Count;
        spec.range = FindRange(*attribute.checker);
    }
    else if (const auto* flag = dynamic_cast<const ns3::BooleanValue*>(initial))
    {
        spec.words = {"on", "off"};
        spec.defaultText = flag->Get() ? "on" : "off";
    }
    return spec;
}

void
AddParameters(const ns3::TypeId& type, std::vector<ParameterSpec>& parameters)
{
    for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
    {
        parameters.push_back(DescribeAttribute(type.GetAttribute(i)));
    }
    if (type != ns3::FabricCongestionControl::GetTypeId())
    {
        AddParameters(type.GetParent(), parameters);
    }
}

CongestionControlInfo
DescribeControl(const ns3::TypeId& type)
{
    CongestionControlInfo info;
    info.name = ToKebabCase(type.GetName().substr(PREFIX.size()));
    const auto help = HELP.find(info.name);
    info.help = help == HELP.end() ? type.GetName() : help->second;
    AddParameters(type, info.parameters);
    ns3::ObjectFactory factory;
    factory.SetTypeId(type);
    const auto signals = factory.Create<ns3::FabricCongestionControl>()->GetSignals();
    info.answersEveryFrame = signals.everyAcknowledgement;
    info.needsMarks = signals.marks;
    return info;
}

std::vector<CongestionControlInfo>
FindControls()
{
    std::vector<CongestionControlInfo> controls{
        {{.name = "none", .help = "Every queue pair sends at line rate.", .parameters = {}}}};
    for (uint16_t i = 0; i < ns3::TypeId::GetRegisteredN(); ++i)
    {
        const ns3::TypeId type = ns3::TypeId::GetRegistered(i);
        if (type.IsChildOf(ns3::FabricCongestionControl::GetTypeId()) && type.HasConstructor())
        {
            controls.push_back(DescribeControl(type));
        }
    }
    const auto isBefore = [](const CongestionControlInfo& a, const CongestionControlInfo& b)
    { return a.name < b.name; };
    std::sort(controls.begin() + 1, controls.end(), isBefore);
    return controls;
}

} // namespace

const std::vector<CongestionControlInfo>&
DescribeCongestionControls()
{
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

} // namespace nadi
