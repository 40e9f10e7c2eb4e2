// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/registry.h"
#include "network/dimension.h"
#include "network/idle-parameter.h"
#include "network/node-hardware.h"
#include "network/topology.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What a generated topology consists of.
struct TopologySize
{
    uint64_t npus = 0;
    uint64_t switches = 0;
    uint64_t links = 0; ///< each direction counted

    bool operator==(const TopologySize&) const = default;
};

/// A family of topologies that a few numbers describe. One file each in `generators/`; the folder
/// listing is the list of generators.
///
/// A generator is made from its parameters and refuses those that cannot be built: its constructor
/// throws ConfigError with the name of the parameter as its place.
///
/// Parameters named `uplink.bandwidth` and `uplink.latency` are written as the mapping `uplink:
/// {bandwidth, latency}`. One whose default is empty must be given; one whose default is
/// "as <name>" has the value of that other parameter unless it is given.
///
/// Holds: equal parameters give equal topologies, ids included; all vertices are connected;
/// whatever is not an NPU is a switch; the topology has the dimensions of Dimensions().
class TopologyGenerator
{
  public:
    virtual ~TopologyGenerator() = default;

    /// What AddTo adds.
    virtual TopologySize Size() const = 0;

    /// Of a generator whose NPUs stand in nodes; of others, none.
    virtual std::optional<NodeHardware> Nodes() const
    {
        return std::nullopt;
    }

    /// Of a generator whose topology is a stack, its dimensions, which are also those in which
    /// collectives are laid out; of others, none.
    virtual std::vector<Dimension> Dimensions() const
    {
        return {};
    }

    /// The sizes in which collectives of all NPUs are laid out where the user gives none, two of
    /// them: [NPUs per node, nodes] of a generator with nodes. None: one dimension of all NPUs.
    virtual std::vector<uint32_t> StackSizes() const;

    /// The parameters that change nothing, whether they were given or not.
    virtual std::vector<IdleParameter> IdleParameters() const
    {
        return {};
    }

    /// Adds the NPUs `npu<rank>`, then the switches, then the links. Requires: `topology` is empty.
    virtual void AddTo(Topology& topology) const = 0;
};

/// The generator that was chosen. Throws ConfigError, with the name of the parameter as its place
/// where one is at fault: an unknown name, an unknown or unfit parameter, one that is missing,
/// numbers that do not fit each other, or more than MOST_VERTICES NPUs or switches or MOST_LINKS
/// links.
std::unique_ptr<TopologyGenerator> MakeTopologyGenerator(const ComponentChoice& choice);

/// The parameters that change nothing although they differ from their defaults, so that somebody
/// must have given them. Those that must be given are not among them. Throws as
/// MakeTopologyGenerator does.
std::vector<IdleParameter> FindIdleParameters(const ComponentChoice& choice);

/// Builds and validates the topology. Throws ConfigError as MakeTopologyGenerator does.
Topology GenerateTopology(const ComponentChoice& choice);

} // namespace nadi
