// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dimension.h"
#include "network/topology.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// The sizes of a stack of dimensions, innermost first.
std::vector<uint32_t> SizesOf(const std::vector<Dimension>& dimensions);

/// The topology of a stack: along each dimension, every line of NPUs that differ in that
/// coordinate only is joined in the dimension's shape.
///
/// Example: dimensions ring of 4 and switch of 2 make 8 NPUs, in two rings (0-3 and 4-7) and in
/// four switches (dim1.switch0 joins 0 and 4, ...).
///
/// Holds: NPUs are `npu<rank>` (see RankGrid); the switch of a line of dimension d is
/// `dim<d>.switch<k>`, k counting the lines by their lowest rank. Vertices and links are added
/// dimension by dimension, line by line, so that their ids can be computed
/// (DimensionOrderedRouting).
///
/// Throws ConfigError at `network.dimensions...`: no dimension, a size of 0, an unknown shape, no
/// bandwidth, more than 2^32 - 1 NPUs, or more links than topologies may have
/// (network/topology-limits.h).
Topology MakeStackTopology(const std::vector<Dimension>& dimensions);

} // namespace nadi
