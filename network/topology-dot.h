// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/topology.h"

#include <iosfwd>

namespace nadi
{

/// Writes the topology for Graphviz (`nadi check --dot`): NPUs are boxes, switches are ellipses,
/// memories are cylinders, and each link is one edge, labelled with bandwidth and latency, each
/// direction on a line of its own where they differ. Switches that are equally far from the nearest
/// NPU stand side by side.
void WriteTopologyDot(std::ostream& out, const Topology& topology);

} // namespace nadi
