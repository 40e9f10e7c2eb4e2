// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/model-parameters.h"

#include "common/check.h"
#include "common/error.h"
#include "common/text.h"
#include "workload/job-limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

/// More layers, heads or samples than this no model has: such a number is a slip.
constexpr double MOST_OF_A_COUNT = 1 << 24;

} // namespace

ParameterSpec
MakeCount(const std::string& name,
          const std::string& defaultText,
          const std::string& help,
          const NumberRange& range)
{
    return {.name = name,
            .kind = ParameterKind::Count,
            .defaultText = defaultText,
            .help = help,
            .range = {.least = range.least, .most = std::min(range.most, MOST_OF_A_COUNT)}};
}

ParameterSpec
MakeCounts(const std::string& name, const std::string& defaultText, const std::string& help)
{
    return {.name = name,
            .kind = ParameterKind::Counts,
            .defaultText = defaultText,
            .help = help,
            .range = {.most = MOST_OF_A_COUNT}};
}

ParameterSpec
MakeChoice(const std::string& name, const std::vector<std::string>& words, const std::string& help)
{
    return {name, ParameterKind::Word, words.front(), help, words};
}

ParameterSpec
MakeSwitch(const std::string& name, bool isOn, const std::string& help)
{
    return {name, ParameterKind::Word, isOn ? "on" : "off", help, {"on", "off"}};
}

ParameterSpec
MakeNumberType(const std::string& name, const std::string& help)
{
    return MakeChoice(name, {"bf16", "fp16", "fp32", "fp8"}, help);
}

ParameterSpec
MakeNumberTypeAs(const std::string& name, const std::string& source, const std::string& help)
{
    ParameterSpec spec = MakeNumberType(name, help);
    spec.defaultText = "as " + source;
    return spec;
}

uint64_t
SizeOfNumberType(const std::string& word)
{
    if (word == "fp32")
    {
        return 4;
    }
    return word == "fp8" ? 1 : 2;
}

NumberType
ReadNumberType(const Parameters& parameters, const std::string& name)
{
    return FindNumberType(parameters.Get<std::string>(name)).value();
}

uint64_t
ReadCount(const Parameters& parameters, const std::string& name)
{
    // Its range has no numbers below 0.
    return static_cast<uint64_t>(parameters.Get<int64_t>(name));
}

std::vector<uint64_t>
ReadCounts(const Parameters& parameters, const std::string& name)
{
    const auto& counts = parameters.Get<std::vector<int64_t>>(name);
    return {counts.begin(), counts.end()};
}

bool
ReadSwitch(const Parameters& parameters, const std::string& name)
{
    return parameters.Get<std::string>(name) == "on";
}

void
CheckDivides(const Division& division)
{
    NADI_CHECK(division.parts > 0);
    if (division.count % division.parts == 0)
    {
        return;
    }
    // What the parameter at fault says is either the parts or what they are made of.
    const bool saysParts = std::string_view(division.by).starts_with(division.name);
    throw ConfigError(division.name,
                      fmt::format("{} {} does not divide {} {}; {} of {}",
                                  division.by,
                                  division.parts,
                                  division.what,
                                  division.count,
                                  saysParts ? "write a divisor" : "make it a multiple",
                                  saysParts ? division.count : division.parts));
}

uint32_t
FindCopies(const std::vector<Degree>& degrees, uint32_t ranks)
{
    uint64_t product = 1; // divides the ranks, so that the next one has at most 64 bits
    std::string text;
    for (const Degree& degree : degrees)
    {
        product *= degree.size;
        if (degree.size > 1) // nobody need have written a 1
        {
            text += fmt::format("{}{} {}", text.empty() ? "" : " x ", degree.name, degree.size);
        }
        if (product > ranks || ranks % product != 0)
        {
            const bool isOne = text.find(" x ") == std::string::npos;
            throw ConfigError(degree.name,
                              fmt::format("{} {} the {}; write {} {}",
                                          text,
                                          product > ranks ? "is more than" : "does not divide",
                                          CountText(ranks, "rank"),
                                          isOne ? "a divisor of" : "degrees whose product divides",
                                          ranks));
        }
    }
    return static_cast<uint32_t>(ranks / product);
}

void
CheckNodeCount(const NodeSource& source)
{
    NADI_CHECK(source.nodes > 0);
    // Divided, as the product may pass 64 bits.
    const uint64_t most = MOST_NODES / source.nodes;
    if (source.count > most)
    {
        const std::string advice = source.advice;
        throw ConfigError(
            source.name,
            fmt::format(
                "{} {} of some {} nodes each are more than the {} nodes of the largest job; "
                "write {}",
                source.count,
                source.what,
                source.nodes,
                MOST_NODES,
                advice.empty() ? fmt::format("{} or fewer", std::max<uint64_t>(most, 1)) : advice));
    }
}

} // namespace nadi
