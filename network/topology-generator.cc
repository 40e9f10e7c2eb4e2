// SPDX-License-Identifier: GPL-2.0-only
#include "network/topology-generator.h"

#include "common/check.h"
#include "common/error.h"
#include "common/text.h"
#include "common/unit-parser.h"
#include "network/topology-limits.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

using Entry = Registry<TopologyGenerator>::Entry;

const Entry&
FindEntry(const std::string& name)
{
    const auto& registry = Registry<TopologyGenerator>::Instance();
    const Entry* entry = registry.Find(name);
    if (entry == nullptr)
    {
        throw ConfigError(
            "generator", "unknown generator \"" + name + '"' + SuggestFrom(name, registry.Names()));
    }
    return *entry;
}

Parameters
ParseParameters(const Entry& entry, const GeneratorChoice& choice)
{
    try
    {
        return Parameters::Parse(entry.parameters,
                                 CompleteParameters(entry.parameters, choice.parameters));
    }
    catch (const UnitError& error)
    {
        throw ConfigError("", error.what());
    }
}

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

} // namespace

std::unique_ptr<TopologyGenerator>
MakeTopologyGenerator(const GeneratorChoice& choice)
{
    const Entry& entry = FindEntry(choice.name);
    auto generator = entry.make(ParseParameters(entry, choice));
    CheckSize(generator->Size());
    return generator;
}

Topology
GenerateTopology(const GeneratorChoice& choice)
{
    const auto generator = MakeTopologyGenerator(choice);
    Topology topology;
    generator->AddTo(topology);
    const TopologySize size = generator->Size();
    NADI_CHECK(topology.NpuCount() == size.npus && topology.LinkCount() == size.links);
    NADI_CHECK(topology.VertexCount() == size.npus + size.switches);
    topology.Validate("network.topology");
    return topology;
}

} // namespace nadi
