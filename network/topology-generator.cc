// SPDX-License-Identifier: GPL-2.0-only
#include "network/topology-generator.h"

#include "common/check.h"
#include "common/error.h"
#include "network/topology-limits.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

void
CheckSize(const TopologySize& size)
{
    if (size.npus > MOST_VERTICES || size.switches > MOST_VERTICES || size.links > MOST_LINKS)
    {
        throw ConfigError("",
                          fmt::format("makes more than {} NPUs or switches, or than {} links; "
                                      "write smaller counts",
                                      MOST_VERTICES,
                                      MOST_LINKS));
    }
}

/// Not where there is no default.
bool
DiffersFromDefault(const ParameterSpec& spec, const Parameters& parameters)
{
    if (spec.defaultText.empty())
    {
        return false;
    }
    const std::string source = FindDefaultSource(spec);
    return parameters.Value(spec.name) !=
           (source.empty() ? ParseParameter(spec, spec.defaultText) : parameters.Value(source));
}

/// Whether `name` is the parameter, or the mapping that it is a key of.
bool
IsPartOf(const ParameterSpec& spec, const std::string& name)
{
    return spec.name == name || spec.name.starts_with(name + ".");
}

} // namespace

std::vector<uint32_t>
TopologyGenerator::StackSizes() const
{
    const std::optional<NodeHardware> nodes = Nodes();
    return nodes ? std::vector{nodes->npusPerNode, nodes->nodes} : std::vector<uint32_t>{};
}

/// The size is checked before anything is built: a topology beyond the limits would fill the
/// memory.
std::unique_ptr<TopologyGenerator>
MakeTopologyGenerator(const ComponentChoice& choice)
{
    auto generator = Registry<TopologyGenerator>::Instance().Make(choice);
    CheckSize(generator->Size());
    return generator;
}

std::vector<IdleParameter>
FindIdleParameters(const ComponentChoice& choice)
{
    const auto generator = MakeTopologyGenerator(choice);
    const auto& entry = *Registry<TopologyGenerator>::Instance().Find(choice.name);
    const Parameters parameters = ParseChoice(entry, choice);
    std::vector<IdleParameter> found;
    for (const IdleParameter& idle : generator->IdleParameters())
    {
        const auto isGiven = [&](const ParameterSpec& spec)
        { return IsPartOf(spec, idle.name) && DiffersFromDefault(spec, parameters); };
        if (idle.isAsked || std::any_of(entry.parameters.begin(), entry.parameters.end(), isGiven))
        {
            found.push_back(idle);
        }
    }
    return found;
}

Topology
GenerateTopology(const ComponentChoice& choice)
{
    const auto generator = MakeTopologyGenerator(choice);
    Topology topology;
    generator->AddTo(topology);
    // Size does not build anything, so that what is too large is refused before it is built. The
    // checks below make sure that AddTo agrees with it.
    const TopologySize size = generator->Size();
    NADI_CHECK(topology.NpuCount() == size.npus && topology.LinkCount() == size.links);
    NADI_CHECK(topology.VertexCount() == size.npus + size.switches);
    NADI_CHECK(topology.Dimensions().size() == generator->Dimensions().size());
    topology.Validate("network.topology");
    return topology;
}

} // namespace nadi
