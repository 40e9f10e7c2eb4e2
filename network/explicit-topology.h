// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// Which ways an entry of the list of links describes.
enum class LinkDirection : uint8_t
{
    Both,    ///< the same bandwidth and latency each way
    Forward, ///< from -> to only; another Forward link leads back, with its own values
};

/// One entry of a topology's list of links, as the user wrote it.
struct LinkSpec
{
    std::string from;
    std::string to;
    Bandwidth bandwidth;
    SimTime latency;
    uint32_t count = 1; ///< parallel links
    LinkDirection direction = LinkDirection::Both;
    std::string where; ///< the place of this entry, for errors: "fabric.yaml:7: links[2]"
};

/// A topology as a list of nodes and links: NPUs are `npu0`, `npu1`, ...; switches have names.
struct ExplicitTopology
{
    uint32_t npuCount = 0;
    std::vector<std::string> switches;
    std::vector<LinkSpec> links;
    std::string where; ///< the place of the nodes, for errors
};

/// Builds and validates it; link ids follow the order of the list (a pair of Forward links stands
/// where its second half does).
///
/// Throws ConfigError: no NPU; a switch without a name, named twice, or named like an NPU; an
/// unknown node; a link from a node to itself, without bandwidth, with count 0, or without a way
/// back; nodes that no path joins; more than MOST_VERTICES NPUs or switches, or than MOST_LINKS
/// links.
Topology MakeExplicitTopology(const ExplicitTopology& description);

} // namespace nadi
