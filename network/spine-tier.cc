// SPDX-License-Identifier: GPL-2.0-only
#include "network/spine-tier.h"

namespace nadi
{

std::vector<ParameterSpec>
SpineTier::Specs(const std::string& leafLink)
{
    return JoinSpecs(
        {RequiredCount("spines", "how many spine switches"),
         OptionalCount("uplinks-per-spine", "1", "parallel links of a leaf and a spine"),
         LinkLike("uplink", leafLink, "between a leaf and a spine")});
}

SpineTier::SpineTier(const Parameters& parameters)
    : m_spines(GetCount(parameters, "spines", 0))
    , m_uplinksPerSpine(GetCount(parameters, "uplinks-per-spine", 1))
    , m_rate(GetLink(parameters, "uplink"))
{
}

uint64_t
SpineTier::LinkCount(uint32_t leaves) const
{
    return CappedProduct({2, leaves, m_spines, m_uplinksPerSpine});
}

VertexRange
SpineTier::AddSpines(Topology& topology) const
{
    return AddSwitches(topology, "spine", m_spines);
}

void
SpineTier::AddLinks(Topology& topology, VertexRange leaves, VertexRange spines) const
{
    for (uint32_t leaf = 0; leaf < leaves.count; ++leaf)
    {
        for (uint32_t spine = 0; spine < spines.count; ++spine)
        {
            for (uint32_t i = 0; i < m_uplinksPerSpine; ++i)
            {
                Join(topology, leaves.At(leaf), spines.At(spine), m_rate);
            }
        }
    }
}

} // namespace nadi
