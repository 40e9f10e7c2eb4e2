// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "configuration/field.h"
#include "network/dimension.h"
#include "network/node-hardware.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// The key `network.topology`: a file of nodes and links, or a generator and its parameters.
///
/// Reading it throws ConfigError for parameters that the generator refuses, at the line of the one
/// at fault. Written are all parameters of the generator.
Field MakeTopologyField(NetworkConfig& network);

/// Of a generator whose NPUs stand in nodes; of other networks, none.
std::optional<NodeHardware> FindNodes(const NetworkConfig& network);

/// The two sizes in which a generator lays collectives of all NPUs out: [NPUs per node, nodes], or
/// [NPUs per switch, switches]. Empty for other networks, and for stacks of dimensions.
std::vector<uint32_t> FindNodeStack(const NetworkConfig& network);

/// The shape of each dimension of FindNodeStack: fully-connected where every two NPUs of a node
/// share a link of their own, else ROUTES.
std::vector<ComponentChoice> FindNodeShapes(const NetworkConfig& network);

/// Of a stack of dimensions, `network.dimensions` or that of a generator; of other networks, none.
std::vector<Dimension> FindDimensions(const NetworkConfig& network);

} // namespace nadi
