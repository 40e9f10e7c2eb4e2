// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/parameters.h"
#include "network/topology.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

/// \file
/// What topology generators have in common: their parameters, and the pieces that they put
/// together.

namespace nadi
{

/// The parameters of several parts, one after the other.
std::vector<ParameterSpec> JoinSpecs(std::initializer_list<std::vector<ParameterSpec>> parts);

/// A whole number that must be given.
std::vector<ParameterSpec> RequiredCount(const std::string& name, const std::string& help);

/// A whole number that has a default.
std::vector<ParameterSpec>
OptionalCount(const std::string& name, const std::string& defaultText, const std::string& help);

/// A kind of link: its bandwidth and its latency, which must be given. `help` says which link, such
/// as "between an NPU and its leaf"; it becomes "The bandwidth of a link between an NPU and its
/// leaf, in one direction.", and the same for the latency.
std::vector<ParameterSpec> RequiredLink(const std::string& name, const std::string& help);

/// A kind of link that is like the link `source` unless given.
std::vector<ParameterSpec>
LinkLike(const std::string& name, const std::string& source, const std::string& help);

/// Throws ConfigError at `name` unless least <= value <= MOST_VERTICES.
uint32_t GetCount(const Parameters& parameters, const std::string& name, uint32_t least);

/// Throws ConfigError at `name` unless `divisor` divides `count`, which are `what`, such as "NPUs".
/// Requires: divisor > 0.
void
CheckDivides(const std::string& name, uint32_t divisor, uint64_t count, const std::string& what);

LinkRate GetLink(const Parameters& parameters, const std::string& name);

/// The product, or 2^60 where it is larger: for sizes to be compared with limits.
uint64_t CappedProduct(std::initializer_list<uint64_t> factors);

/// Vertices of neighbouring ids.
struct VertexRange
{
    uint32_t first = 0;
    uint32_t count = 0;

    VertexId At(uint32_t index) const
    {
        return VertexId{first + index};
    }
};

/// Adds `count` NPUs: npu0, npu1, ... Requires: `topology` is empty.
VertexRange AddNpus(Topology& topology, uint32_t count);

/// Adds `count` switches, each named `prefix`, its number from 0, and `suffix`.
VertexRange AddSwitches(Topology& topology,
                        const std::string& prefix,
                        uint32_t count,
                        const std::string& suffix = "");

/// Adds `count` NICs that NPUs share, each named `prefix` and its number from 0.
VertexRange AddNics(Topology& topology, const std::string& prefix, uint32_t count);

/// Adds one link between two vertices.
void Join(Topology& topology, VertexId from, VertexId to, LinkRate rate);

/// Adds one link from each lower vertex to each upper one, lower by lower.
void JoinAll(Topology& topology, VertexRange lower, VertexRange upper, LinkRate rate);

} // namespace nadi
