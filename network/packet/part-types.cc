// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/part-types.h"

#include "common/check.h"
#include "common/error.h"
#include "common/text.h"
#include "common/unit-parser.h"
#include "network/packet/ns3-values.h"

#include <fmt/format.h>
#include <ns3/boolean.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/nstime.h>
#include <ns3/uinteger.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>

namespace nadi
{

namespace
{

const std::string PREFIX = "ns3::Fabric";

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
        // A checker without a lower bound gives about -1.8e308, but parameters begin at 0
        // (NumberRange).
        range.least = std::max(least, 0.0);
        range.most = most < huge ? most : range.most;
    }
    return range;
}

/// The kind of the parameter follows from the class of the attribute's initial value. With a class
/// that is not listed here it is a word.
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
        // ToNs3Value turns these words into those that ns-3 reads.
        spec.words = {"on", "off"};
        spec.defaultText = flag->Get() ? "on" : "off";
    }
    return spec;
}

/// Those of the type come first, then those of the types that it is derived from, up to the base of
/// the kind. Types above the base, such as Object, have no parameters for users.
void
AddParameters(const PartKind& kind, const ns3::TypeId& type, std::vector<ParameterSpec>& parameters)
{
    for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
    {
        parameters.push_back(DescribeAttribute(type.GetAttribute(i)));
    }
    if (type != kind.base)
    {
        AddParameters(kind, type.GetParent(), parameters);
    }
}

/// "additive-increase" -> "AdditiveIncrease".
std::string
ToPascalCase(const std::string& name)
{
    std::string text;
    bool isFirst = true;
    for (const char letter : name)
    {
        const auto code = static_cast<unsigned char>(letter);
        if (letter != '-')
        {
            text += isFirst ? static_cast<char>(std::toupper(code)) : letter;
        }
        isFirst = letter == '-';
    }
    return text;
}

/// The value of a parameter in ns-3's words. Throws ConfigError, with the parameter as its place,
/// where the attribute does not take it.
std::string
TranslateParameter(const ns3::TypeId& type, const std::string& name, const std::string& text)
{
    ns3::TypeId::AttributeInformation attribute;
    if (!type.LookupAttributeByName(ToPascalCase(name), &attribute))
    {
        throw ConfigError(name, "unknown parameter; leave it out");
    }
    const auto value = ToNs3Value(attribute, text);
    if (!value)
    {
        // The checkers of ns-3 tell no bounds of times and rates, so a value that is right is told.
        throw ConfigError(name,
                          fmt::format("\"{}\" is out of range; write a value such as {}, the "
                                      "default: {}",
                                      text,
                                      DescribeAttribute(attribute).defaultText,
                                      ToClause(attribute.help)));
    }
    return *value;
}

} // namespace

ComponentInfo
DescribePart(const PartKind& kind, const ns3::TypeId& type, const std::string& help)
{
    std::string name = type.GetName();
    NADI_CHECK(name.starts_with(PREFIX) && name.ends_with(kind.suffix));
    name = name.substr(PREFIX.size(), name.size() - PREFIX.size() - kind.suffix.size());
    ComponentInfo info{ToKebabCase(name), help, {}};
    AddParameters(kind, type, info.parameters);
    return info;
}

ns3::TypeId
FindPartType(const PartKind& kind, const std::string& name)
{
    return ns3::TypeId::LookupByName(PREFIX + ToPascalCase(name) + kind.suffix);
}

void
CheckPartParameters(const PartKind& kind, const ComponentChoice& choice)
{
    for (const auto& [name, text] : choice.parameters)
    {
        TranslateParameter(FindPartType(kind, choice.name), name, text);
    }
}

void
SetPartParameters(const PartKind& kind,
                  const ComponentChoice& choice,
                  const std::function<void(const std::string&, const std::string&)>& set)
{
    const ns3::TypeId type = FindPartType(kind, choice.name);
    for (const auto& [name, text] : choice.parameters)
    {
        try
        {
            set(ToPascalCase(name), TranslateParameter(type, name, text));
        }
        catch (const ConfigError& error)
        {
            throw ConfigError(kind.key + "." + error.Where(), error.Problem());
        }
    }
}

} // namespace nadi
