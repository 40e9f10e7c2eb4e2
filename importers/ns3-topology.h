// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "importers/import-values.h"
#include "network/explicit-topology.h"

#include <string>
#include <vector>

namespace nadi
{

/// A topology of ASTRA-sim's ns-3 backend.
struct Ns3Topology
{
    ImportFile header;              ///< `nodes`, `switches` and `links` of its first line
    std::vector<std::string> names; ///< of node ids: npu<rank> for hosts in order, sw<id>
    bool areHostsFirst = true;      ///< ids of hosts are ranks
    ExplicitTopology graph;         ///< valid; links in the order of the file
    std::vector<double> losses;     ///< of each link: the probability in its last column

    /// The rates of all ports of switches; of all ports where there is no switch.
    std::vector<Bandwidth> SwitchPortRates() const;

    /// The rate of the first link of npu0.
    Bandwidth NicRate() const;

    bool AreJoined(const std::string& from, const std::string& to) const;
};

/// As Nadi's topology file.
std::string WriteTopologyFile(const ExplicitTopology& topology);

} // namespace nadi
