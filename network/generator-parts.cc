// SPDX-License-Identifier: GPL-2.0-only
#include "network/generator-parts.h"

#include "common/error.h"
#include "network/topology-limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

// Nothing that is counted can be more. So the product of two counts fits into 64 bits; for more
// factors there is CappedProduct. What can be built is limited further, by MOST_LINKS.
constexpr auto MAX_COUNT = static_cast<int64_t>(MOST_VERTICES);

} // namespace

std::vector<ParameterSpec>
JoinSpecs(std::initializer_list<std::vector<ParameterSpec>> parts)
{
    std::vector<ParameterSpec> specs;
    for (const std::vector<ParameterSpec>& part : parts)
    {
        specs.insert(specs.end(), part.begin(), part.end());
    }
    return specs;
}

std::vector<ParameterSpec>
RequiredCount(const std::string& name, const std::string& help)
{
    return OptionalCount(name, "", help);
}

std::vector<ParameterSpec>
OptionalCount(const std::string& name, const std::string& defaultText, const std::string& help)
{
    return {{.name = name,
             .kind = ParameterKind::Count,
             .defaultText = defaultText,
             .help = help,
             .range = {.most = MAX_COUNT}}};
}

std::vector<ParameterSpec>
RequiredLink(const std::string& name, const std::string& help)
{
    const std::string link = "of a link " + help + ", in one direction.";
    return {{name + ".bandwidth", ParameterKind::Rate, "", "The bandwidth " + link},
            {name + ".latency", ParameterKind::Duration, "", "The latency " + link}};
}

std::vector<ParameterSpec>
LinkLike(const std::string& name, const std::string& source, const std::string& help)
{
    std::vector<ParameterSpec> specs = RequiredLink(name, help);
    specs[0].defaultText = "as " + source + ".bandwidth";
    specs[1].defaultText = "as " + source + ".latency";
    return specs;
}

uint32_t
GetCount(const Parameters& parameters, const std::string& name, uint32_t least)
{
    const int64_t value = parameters.Get<int64_t>(name);
    if (value < int64_t{least} || value > MAX_COUNT)
    {
        throw ConfigError(
            name,
            fmt::format(
                "{} is not valid; write a whole number from {} to {}", value, least, MAX_COUNT));
    }
    return static_cast<uint32_t>(value);
}

void
CheckDivides(const std::string& name, uint32_t divisor, uint64_t count, const std::string& what)
{
    if (count % divisor != 0)
    {
        throw ConfigError(name,
                          fmt::format("{} does not divide the {} {}; write a divisor of {}",
                                      divisor,
                                      count,
                                      what,
                                      count));
    }
}

LinkRate
GetLink(const Parameters& parameters, const std::string& name)
{
    return {parameters.Get<Bandwidth>(name + ".bandwidth"),
            parameters.Get<SimTime>(name + ".latency")};
}

uint64_t
CappedProduct(std::initializer_list<uint64_t> factors)
{
    // Far above every limit that sizes are compared with. Sums of several such products still fit
    // in 64 bits.
    constexpr uint64_t cap = uint64_t{1} << 60;
    uint64_t product = 1;
    for (const uint64_t factor : factors)
    {
        if (factor == 0)
        {
            return 0;
        }
        // The division asks whether the product would pass the cap, without computing it: that
        // could overflow.
        product = product > cap / factor ? cap : product * factor;
    }
    return product;
}

VertexRange
AddNpus(Topology& topology, uint32_t count)
{
    for (uint32_t rank = 0; rank < count; ++rank)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(rank));
    }
    return {0, count};
}

VertexRange
AddSwitches(Topology& topology,
            const std::string& prefix,
            uint32_t count,
            const std::string& suffix)
{
    const uint32_t first = topology.VertexCount();
    for (uint32_t index = 0; index < count; ++index)
    {
        topology.AddVertex(VertexKind::Switch, prefix + std::to_string(index) + suffix);
    }
    return {first, count};
}

VertexRange
AddNics(Topology& topology, const std::string& prefix, uint32_t count)
{
    const uint32_t first = topology.VertexCount();
    for (uint32_t index = 0; index < count; ++index)
    {
        topology.AddVertex(VertexKind::Switch, prefix + std::to_string(index), SwitchRole::Nic);
    }
    return {first, count};
}

void
Join(Topology& topology, VertexId from, VertexId to, LinkRate rate)
{
    topology.AddLink(from, to, rate.bandwidth, rate.latency);
}

void
JoinAll(Topology& topology, VertexRange lower, VertexRange upper, LinkRate rate)
{
    for (uint32_t low = 0; low < lower.count; ++low)
    {
        for (uint32_t high = 0; high < upper.count; ++high)
        {
            Join(topology, lower.At(low), upper.At(high), rate);
        }
    }
}

} // namespace nadi
