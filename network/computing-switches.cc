// SPDX-License-Identifier: GPL-2.0-only
#include "network/computing-switches.h"

#include "common/error.h"
#include "common/text.h"

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
        // There is a switch, as CheckHasSwitch was called before.
        const VertexId first{topology.NpuCount()};
        throw ConfigError(where,
                          fmt::format("switches: \"{}\" fits no switch; write names such as {}, "
                                      "with * for any letters",
                                      pattern,
                                      topology.Vertex(first).name));
    }
}

/// All but the NICs, which pass on what NPUs send and reduce nothing.
void
MarkAll(const Topology& topology, std::vector<bool>& computes)
{
    for (VertexId vertex{topology.NpuCount()}; vertex.value < topology.FirstMemory().value;
         ++vertex.value)
    {
        computes[vertex.value] = topology.Vertex(vertex).role == SwitchRole::Switch;
    }
}

} // namespace

std::vector<bool>
FindComputingSwitches(const Topology& topology, const InNetworkOptions& options)
{
    CheckHasSwitch(topology, options);
    std::vector<bool> computes(topology.VertexCount());
    if (!options.switches)
    {
        MarkAll(topology, computes);
        return computes;
    }
    for (const std::string& pattern : *options.switches)
    {
        Mark(topology, pattern, options.where, computes);
    }
    return computes;
}

} // namespace nadi
