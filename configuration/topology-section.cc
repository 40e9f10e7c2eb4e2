// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/topology-section.h"

#include "configuration/generator-section.h"
#include "configuration/registry-codec.h"
#include "common/error.h"
#include "network/topology-generator.h"

namespace nadi
{

namespace
{

const Registry<TopologyGenerator>&
Generators()
{
    return Registry<TopologyGenerator>::Instance();
}

Section
DescribeFile(std::string& file)
{
    return {MakeRequiredField("file", file, MakePathCodec(), "a YAML file of nodes and links")};
}

/// Requires: the choice names a generator.
Section
DescribeGenerator(GeneratorChoice& choice)
{
    Section section =
        DescribeParameters(Generators().Find(choice.name)->parameters, choice.parameters);
    section.insert(section.begin(),
                   MakeRequiredField("generator",
                                     choice.name,
                                     MakeRegistryCodec<TopologyGenerator>(),
                                     "which family of topologies"));
    return section;
}

/// Throws ConfigError at the value of the parameter that is at fault, where it is written.
void
CheckGenerator(const ConfigNode& node, const GeneratorChoice& choice)
{
    try
    {
        MakeTopologyGenerator(choice);
    }
    catch (const ConfigError& error)
    {
        if (const ConfigNode* parameter = node.Find(error.Where()))
        {
            parameter->Fail(error.Problem());
        }
        node.Fail(error.what());
    }
}

void
ReadGenerator(const ConfigNode& node, NetworkConfig& network)
{
    const ConfigNode& generator = *node.Find("generator");
    GeneratorChoice choice;
    choice.name = MakeRegistryCodec<TopologyGenerator>().read(generator);
    ReadSection(node, DescribeGenerator(choice));
    choice.parameters =
        CompleteParameters(Generators().Find(choice.name)->parameters, choice.parameters);
    CheckGenerator(node, choice);
    network.generator = std::move(choice);
    network.where = generator.Where();
}

void
ReadTopology(const ConfigNode& node, NetworkConfig& network)
{
    if (node.kind != ConfigNode::Kind::Map)
    {
        node.Fail("is not a mapping; write {file: PATH} or {generator: NAME, ...}");
    }
    if (node.Find("generator") != nullptr)
    {
        ReadGenerator(node, network);
        return;
    }
    if (node.Find("file") == nullptr)
    {
        node.Fail("needs one of file and generator");
    }
    std::string file;
    ReadSection(node, DescribeFile(file));
    network.topologyFile = file;
    network.where = node.Find("file")->Where();
}

std::optional<Json>
WriteTopology(const NetworkConfig& network)
{
    if (network.generator)
    {
        GeneratorChoice choice = *network.generator;
        return WriteSection(DescribeGenerator(choice));
    }
    if (network.topologyFile)
    {
        std::string file = *network.topologyFile;
        return WriteSection(DescribeFile(file));
    }
    return std::nullopt;
}

/// {file} or one of the generators, each with its parameters.
Json
MakeTopologySchema()
{
    std::string file;
    Json choices = Json::array({MakeSectionSchema(DescribeFile(file))});
    for (const std::string& name : Generators().Names())
    {
        GeneratorChoice choice{name, {}};
        Json schema = MakeSectionSchema(DescribeGenerator(choice));
        schema["description"] = Generators().Find(name)->help;
        schema["properties"]["generator"] = Json{{"const", name}};
        choices.push_back(schema);
    }
    return Json{{"anyOf", choices}};
}

} // namespace

Field
MakeTopologyField(NetworkConfig& network)
{
    Field field;
    field.name = "topology";
    field.help = "the network as nodes and links, instead of dimensions: {file: PATH} or "
                 "{generator: NAME, ...}";
    field.schema = MakeTopologySchema();
    field.read = [&network](const ConfigNode& node) { ReadTopology(node, network); };
    field.write = [&network] { return WriteTopology(network); };
    return field;
}

std::vector<uint32_t>
FindNodeStack(const NetworkConfig& network)
{
    return network.generator ? MakeTopologyGenerator(*network.generator)->NodeStack()
                             : std::vector<uint32_t>{};
}

} // namespace nadi
