// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/generator-parts.h"
#include "network/idle-parameter.h"

#include <string>
#include <vector>

namespace nadi
{

/// The upper tier of a two-tier network: spines, each joined to every leaf by the same number of
/// parallel links. Between two leaves there are spines x uplinks-per-spine ways up.
///
/// Parameters: `spines` (required), `uplinks-per-spine`, `uplink` (like `leafLink` unless given).
class SpineTier
{
  public:
    /// `leafLink` names the parameter of the links below the leaves.
    static std::vector<ParameterSpec> Specs(const std::string& leafLink);

    explicit SpineTier(const Parameters& parameters);

    bool IsEmpty() const
    {
        return m_spines == 0;
    }

    uint32_t SpineCount() const
    {
        return m_spines;
    }

    /// Of a link between a leaf and a spine.
    SimTime LinkLatency() const
    {
        return m_rate.latency;
    }

    /// Those of the uplinks, where there are no spines. All, where there are some and no message
    /// comes to them; `whyUnreached` says why, and is empty elsewhere.
    std::vector<IdleParameter> IdleParameters(const std::string& whyUnreached) const;

    /// Of the links between the spines and `leaves` leaves, each direction counted.
    uint64_t LinkCount(uint32_t leaves) const;

    /// Adds the spines: spine0, spine1, ...
    VertexRange AddSpines(Topology& topology) const;

    /// Adds the links: leaf by leaf, spine by spine, parallel ones together.
    void AddLinks(Topology& topology, VertexRange leaves, VertexRange spines) const;

  private:
    uint32_t m_spines;
    uint32_t m_uplinksPerSpine;
    LinkRate m_rate;
};

} // namespace nadi
