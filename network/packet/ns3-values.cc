// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/ns3-values.h"

#include "common/error.h"
#include "common/text.h"
#include "common/unit-parser.h"

#include <ns3/boolean.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/fabric-congestion-control.h>
#include <ns3/fabric-priority-weights.h>
#include <ns3/fabric-protocol.h>
#include <ns3/integer.h>
#include <ns3/nstime.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <array>
#include <cstdint>
#include <functional>
#include <sstream>
#include <vector>

namespace nadi
{

namespace
{

/// A number stays as it is; a size becomes bytes.
std::string
ToNumber(const std::string& text)
{
    const bool hasUnit = text.find_first_not_of("0123456789") != std::string::npos;
    return hasUnit ? std::to_string(ParseBytes(text).Count()) : text;
}

template <class Number>
bool
IsOne(const std::string& text)
{
    std::istringstream stream(text);
    Number number{};
    return stream >> number && stream.peek() == std::istringstream::traits_type::eof();
}

template <class... Values>
bool
IsOneOf(const ns3::AttributeValue& kind)
{
    return ((dynamic_cast<const Values*>(&kind) != nullptr) || ...);
}

/// Whether all of the text is a number, or weights, where such is asked for: what ns-3 cannot read
/// to its end stops the program.
bool
IsReadable(const ns3::AttributeValue& kind, const std::string& text)
{
    if (dynamic_cast<const ns3::DoubleValue*>(&kind) != nullptr)
    {
        return IsOne<double>(text);
    }
    if (dynamic_cast<const ns3::FabricPriorityWeightsValue*>(&kind) != nullptr)
    {
        return IsOne<ns3::FabricPriorityWeights>(text);
    }
    return dynamic_cast<const ns3::IntegerValue*>(&kind) == nullptr || IsOne<int64_t>(text);
}

/// Whether users may write such a value as text. Of the others (pointers, addresses, types) ns-3
/// reads what it expects and stops the program for the rest.
bool
IsPlain(const ns3::AttributeValue& kind)
{
    return IsOneOf<ns3::BooleanValue,
                   ns3::DataRateValue,
                   ns3::DoubleValue,
                   ns3::EnumValue,
                   ns3::FabricPriorityWeightsValue,
                   ns3::IntegerValue,
                   ns3::StringValue,
                   ns3::TimeValue,
                   ns3::UintegerValue>(kind);
}

/// The text in ns-3's words, which know fewer units. Throws UnitError.
std::string
Translate(const ns3::AttributeValue& kind, const std::string& text)
{
    if (dynamic_cast<const ns3::TimeValue*>(&kind) != nullptr)
    {
        return std::to_string(ParseTime(text).Ps()) + "ps";
    }
    if (dynamic_cast<const ns3::BooleanValue*>(&kind) != nullptr && (text == "on" || text == "off"))
    {
        return text == "on" ? "true" : "false";
    }
    if (dynamic_cast<const ns3::DataRateValue*>(&kind) != nullptr)
    {
        if (text == AUTOMATIC_RATE)
        {
            return "0bps"; // attributes that follow the rate of the port have this default
        }
        return std::to_string(ParseBandwidth(text).BitsPerSecond()) + "bps";
    }
    return dynamic_cast<const ns3::UintegerValue*>(&kind) != nullptr ? ToNumber(text) : text;
}

/// Those of the type come first, then those of the types that it is derived from.
std::vector<std::string>
AttributeNames(const ns3::TypeId& type)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
    {
        names.push_back(type.GetAttribute(i).name);
    }
    // The root of ns-3's types, ObjectBase, is its own parent.
    const ns3::TypeId parent = type.GetParent();
    if (type.HasParent() && parent != type)
    {
        const std::vector<std::string> inherited = AttributeNames(parent);
        names.insert(names.end(), inherited.begin(), inherited.end());
    }
    return names;
}

/// An attribute in full, and the key of `network.packet` that says what it is.
struct SaidElsewhere
{
    const char* attribute;
    const char* key;
};

/// More than the fabric goes by these keys: by `pfc` the watch for circles of pauses and the routes
/// that avoid such circles; by the others the ideal times of messages, the bounds of collectives
/// and what libraries know of the network.
constexpr std::array SAID_ELSEWHERE{
    SaidElsewhere{"ns3::FabricNode::Pfc", "pfc"},
    SaidElsewhere{"ns3::FabricNic::Pfc", "pfc"},
    SaidElsewhere{"ns3::FabricSwitch::Pfc", "pfc"},
    SaidElsewhere{"ns3::FabricProtocol::Payload", "payload"},
    SaidElsewhere{"ns3::FabricProtocol::Header", "header"},
    SaidElsewhere{"ns3::FabricSwitch::Latency", "switch-latency"},
    SaidElsewhere{"ns3::FabricSwitch::CutThrough", "switching"},
};

using Setter = std::function<void(const std::string& name, const ns3::AttributeValue& value)>;

/// Whether objects of type `used` have the attributes of `type`.
bool
IsOfType(const ns3::TypeId& used, const ns3::TypeId& type)
{
    return used == type || used.IsChildOf(type);
}

/// Sets attributes of the congestion control or the load balancer in use, if it is of this type or
/// derived from it.
Setter
FindPartSetter(ns3::FabricHelper& helper, const ns3::TypeId& type)
{
    const auto control = helper.GetFabric()->GetProtocol().GetCongestionControl();
    if (control != nullptr && IsOfType(control->GetInstanceTypeId(), type))
    {
        return [&helper](const auto& name, const auto& value)
        { helper.SetCongestionControlAttribute(name, value); };
    }
    const std::optional<ns3::TypeId> balancer = helper.GetLoadBalancerType();
    if (balancer && IsOfType(*balancer, type))
    {
        return [&helper](const auto& name, const auto& value)
        { helper.SetLoadBalancerAttribute(name, value); };
    }
    return nullptr;
}

/// Sets attributes where the objects are made; none: the network has no object of this type.
Setter
FindSetter(ns3::FabricHelper& helper, const ns3::TypeId& type)
{
    const std::string typeName = type.GetName();
    if (typeName == "ns3::FabricPort")
    {
        return [&helper](const auto& name, const auto& value)
        { helper.SetPortAttribute(name, value); };
    }
    if (typeName == "ns3::FabricProtocol")
    {
        return [&helper](const auto& name, const auto& value)
        { helper.SetProtocolAttribute(name, value); };
    }
    const bool isNode = typeName == "ns3::FabricNode";
    if (!isNode && typeName != "ns3::FabricNic" && typeName != "ns3::FabricSwitch")
    {
        return FindPartSetter(helper, type);
    }
    return [&helper, isNode, typeName](const auto& name, const auto& value)
    {
        if (isNode || typeName == "ns3::FabricNic")
        {
            helper.SetNicAttribute(name, value);
        }
        if (isNode || typeName == "ns3::FabricSwitch")
        {
            helper.SetSwitchAttribute(name, value);
        }
    };
}

/// Throws ConfigError.
ns3::TypeId
FindType(const std::string& typeName, const std::string& where)
{
    ns3::TypeId type;
    if (!ns3::TypeId::LookupByNameFailSafe(typeName, &type))
    {
        throw ConfigError(where,
                          "there is no ns-3 type \"" + typeName +
                              "\"; write a full name such as ns3::FabricSwitch::BufferSize");
    }
    return type;
}

/// Throws ConfigError where there is no such attribute, or another key says what it is.
ns3::TypeId::AttributeInformation
FindAttribute(const ns3::TypeId& type, const std::string& name, const std::string& where)
{
    ns3::TypeId::AttributeInformation found;
    if (!type.LookupAttributeByName(name, &found))
    {
        throw ConfigError(where,
                          type.GetName() + " has no attribute \"" + name + "\"; it has " +
                              JoinWithOr(AttributeNames(type)));
    }
    // Rates and delays differ from link to link. One value for all would replace the topology's.
    if (type.GetName() == "ns3::FabricChannel" || name == "DataRate")
    {
        throw ConfigError(where,
                          "is what the topology says; write the bandwidth and latency of the link "
                          "there");
    }
    for (const SaidElsewhere& said : SAID_ELSEWHERE)
    {
        if (type.GetName() + "::" + name == said.attribute)
        {
            throw ConfigError(
                where, std::string("is what network.packet.") + said.key + " says; write it there");
        }
    }
    const bool isSettable = (found.flags & ns3::TypeId::ATTR_CONSTRUCT) != 0 &&
                            found.accessor->HasSetter() && IsPlain(*found.initialValue);
    if (!isSettable)
    {
        throw ConfigError(where, "cannot be set; leave it out");
    }
    return found;
}

} // namespace

std::optional<std::string>
ToNs3Value(const ns3::TypeId::AttributeInformation& attribute, const std::string& text)
{
    try
    {
        if (dynamic_cast<const ns3::StringValue*>(PeekPointer(attribute.initialValue)) != nullptr)
        {
            return text; // any text is one; ns-3 would read its first word only
        }
        if (!IsReadable(*attribute.initialValue, text))
        {
            return std::nullopt;
        }
        const std::string words = Translate(*attribute.initialValue, text);
        // ns-3 stops the program for a value that it refuses when it is set. So the value is tried
        // on a copy first, and the user gets an error with a place.
        const auto value = attribute.checker->Create();
        const bool isValue = value->DeserializeFromString(words, attribute.checker) &&
                             attribute.checker->Check(*value);
        return isValue ? std::optional(words) : std::nullopt;
    }
    catch (const UnitError&)
    {
        return std::nullopt;
    }
}

/// ns-3 stops the program for whatever it cannot use. So each step (cut the name, find the type,
/// the attribute and its setter, translate the value) has an error of its own before ns-3 is asked.
void
ApplyNs3Attribute(ns3::FabricHelper& helper, const Ns3Attribute& attribute)
{
    // From the right, because the name of a type has colons itself. Without colons there is no
    // type, and FindType says what to write.
    const std::size_t cut = attribute.name.rfind("::");
    const std::string typeName = attribute.name.substr(0, cut == std::string::npos ? 0 : cut);
    const std::string name = cut == std::string::npos ? "" : attribute.name.substr(cut + 2);
    const ns3::TypeId type = FindType(typeName, attribute.where);
    const auto found = FindAttribute(type, name, attribute.where);
    const Setter set = FindSetter(helper, type);
    if (!set)
    {
        throw ConfigError(attribute.where,
                          "nothing in the network is a " + typeName +
                              "; write an attribute of ns3::FabricPort, ns3::FabricProtocol, "
                              "ns3::FabricNic, ns3::FabricSwitch or of the congestion control "
                              "or the load balancer in use");
    }
    const std::optional<std::string> value = ToNs3Value(found, attribute.value);
    if (!value)
    {
        throw ConfigError(attribute.where,
                          "\"" + attribute.value + "\" is no value of it; " + ToClause(found.help) +
                              " (such as " + found.initialValue->SerializeToString(found.checker) +
                              ")");
    }
    set(name, ns3::StringValue(*value));
}

} // namespace nadi
