// SPDX-License-Identifier: GPL-2.0-only
#include "importers/ns3-topology.h"

#include "common/unit-parser.h"
#include "configuration/codec.h"
#include "configuration/yaml-writer.h"
#include "importers/ns3-quantities.h"

#include <algorithm>

namespace nadi
{

std::vector<Bandwidth>
Ns3Topology::SwitchPortRates() const
{
    std::vector<Bandwidth> rates;
    for (const LinkSpec& link : graph.links)
    {
        // Each end of a link is a port, so a link between two switches counts twice.
        for (const std::string& end : {link.from, link.to})
        {
            if (graph.switches.empty() || end.starts_with("sw"))
            {
                rates.push_back(link.bandwidth);
            }
        }
    }
    return rates;
}

Bandwidth
Ns3Topology::NicRate() const
{
    const auto first =
        std::find_if(graph.links.begin(),
                     graph.links.end(),
                     [](const LinkSpec& link) { return link.from == "npu0" || link.to == "npu0"; });
    // Only a topology of a single host may be without such a link.
    return first == graph.links.end() ? Bandwidth{} : first->bandwidth;
}

bool
Ns3Topology::AreJoined(const std::string& from, const std::string& to) const
{
    return std::any_of(graph.links.begin(),
                       graph.links.end(),
                       [&](const LinkSpec& link) {
                           return (link.from == from && link.to == to) ||
                                  (link.from == to && link.to == from);
                       });
}

std::string
WriteTopologyFile(const ExplicitTopology& topology)
{
    Json links = Json::array();
    for (const LinkSpec& link : topology.links)
    {
        links.push_back(Json{{"from", link.from},
                             {"to", link.to},
                             {"bandwidth", ToNetworkText(link.bandwidth)},
                             {"latency", ToText(link.latency)}});
    }
    Json nodes = Json{{"npus", topology.npuCount}, {"switches", topology.switches}};
    return WriteYaml(Json{{"nodes", nodes}, {"links", links}});
}

} // namespace nadi
