// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "configuration/field.h"
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

/// [NPUs per node, nodes] of a generator whose NPUs stand in nodes; of other networks, empty.
std::vector<uint32_t> FindNodeStack(const NetworkConfig& network);

} // namespace nadi
