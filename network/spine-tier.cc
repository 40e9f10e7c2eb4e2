// SPDX-License-Identifier: GPL-2.0-only
#include "network/spine-tier.h"

namespace nadi
{

std::vector<ParameterSpec>
SpineTier::Specs(const std::string& leafLink)
{
    return JoinSpecs(
        {RequiredCount("spines",
                       "The number of spine switches, each of which is joined to every leaf. 0 is "
                       "possible where there is one leaf, and in a rail network, where messages "
                       "between rails then pass through another NPU."),
         OptionalCount("uplinks-per-spine",
                       "1",
                       "The number of parallel links between each leaf and each spine."),
         LinkLike("uplink", leafLink, "between a leaf and a spine")});
}

SpineTier::SpineTier(const Parameters& parameters)
    : m_spines(GetCount(parameters, "spines", 0))
    , m_uplinksPerSpine(GetCount(parameters, "uplinks-per-spine", 1))
    , m_rate(GetLink(parameters, "uplink"))
{
}

std::vector<IdleParameter>
SpineTier::IdleParameters(const std::string& whyUnreached) const
{
    if (IsEmpty())
    {
        const std::string why = "spines: 0 leaves no uplinks";
        return {{"uplinks-per-spine", why}, {"uplink", why}};
    }
    if (whyUnreached.empty())
    {
        return {};
    }
    const std::string why = whyUnreached + ", or spines: 0";
    return {{.name = "spines", .why = why, .isUnreached = true, .isAsked = true},
            {.name = "uplinks-per-spine", .why = why, .isUnreached = true},
            {.name = "uplink", .why = why, .isUnreached = true}};
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
