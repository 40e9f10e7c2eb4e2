// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "network/link-fault.h"
#include "network/topology.h"

#include <string>
#include <vector>

/// \file
/// The links that a configuration names by their ends, once the topology is there.

namespace nadi
{

/// The directions from `ends.from` to `ends.to`: several where links are parallel; by id.
///
/// Throws ConfigError at `ends.where`: a name that no node has (with a suggestion), nodes without a
/// link between them (with the neighbours of the first).
std::vector<LinkId> FindLinks(const Topology& topology, const LinkEnds& ends);

/// The faults in the order given, links in order of their ids. Throws as FindLinks.
std::vector<LinkFault> ResolveFaults(const Topology& topology,
                                     const std::vector<FaultSpec>& faults);

/// What passes the sending port of `link`, both ways, goes to `file`.
struct LinkCapture
{
    LinkId link;
    std::string file; ///< in the directory of results: "pcap/npu0-leaf0.pcap"
};

/// A capture for each link in the order given, several where links are parallel: the second is
/// npu0-leaf0.1.pcap. Characters of names that file names should not hold become `_`.
/// Holds: no two files have one name. Throws as FindLinks.
std::vector<LinkCapture> ResolveCaptures(const Topology& topology,
                                         const std::vector<LinkEnds>& links);

} // namespace nadi
