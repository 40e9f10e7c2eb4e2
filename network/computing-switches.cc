// SPDX-License-Identifier: GPL-2.0-only
#include "network/computing-switches.h"

#include "common/error.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace nadi
{

namespace
{

void
CheckHasSwitch(const Topology& topology, const InNetworkOptions& options)
{
    if (topology.SwitchCount() == 0)
    {
        throw ConfigError(options.where,
                          "the network has no switch that could compute; write off, or a topology "
                          "with switches");
    }
}

/// Marks the switches whose names fit.
void
Mark(const Topology& topology,
     const std::string& pattern,
     const std::string& where,
     std::vector<bool>& computes)
{
    bool hasFound = false;
    for (VertexId vertex{topology.NpuCount()}; vertex.value < topology.FirstMemory().value;
         ++vertex.value)
    {
        if (MatchesPattern(topology.Vertex(vertex).name, pattern))
        {
            computes[vertex.value] = true;
            hasFound = true;
        }
    }
    if (!hasFound)
    {
        const VertexId first{topology.NpuCount()};
        throw ConfigError(where,
                          fmt::format("switches: \"{}\" fits no switch; write names such as {}, "
                                      "with * for any letters",
                                      pattern,
                                      topology.Vertex(first).name));
    }
}

} // namespace

/// Greedy: each part between two stars is looked for as early as it can be.
bool
MatchesPattern(const std::string& name, const std::string& pattern)
{
    const size_t star = pattern.find('*');
    if (star == std::string::npos)
    {
        return name == pattern;
    }
    if (name.compare(0, star, pattern, 0, star) != 0)
    {
        return false;
    }
    size_t at = star; // in the name
    size_t from = star + 1;
    for (size_t next = pattern.find('*', from); next != std::string::npos;
         next = pattern.find('*', from))
    {
        const size_t found = name.find(pattern.substr(from, next - from), at);
        if (found == std::string::npos)
        {
            return false;
        }
        at = found + (next - from);
        from = next + 1;
    }
    // What follows the last star must end the name, and must not overlap what was matched before:
    // "a*a" does not match "a".
    const size_t rest = pattern.size() - from;
    return name.size() >= at + rest && name.compare(name.size() - rest, rest, pattern, from) == 0;
}

std::vector<bool>
FindComputingSwitches(const Topology& topology, const InNetworkOptions& options)
{
    CheckHasSwitch(topology, options);
    std::vector<bool> computes(topology.VertexCount());
    for (const std::string& pattern : options.switches.value_or(std::vector<std::string>{"*"}))
    {
        Mark(topology, pattern, options.where, computes);
    }
    return computes;
}

} // namespace nadi
