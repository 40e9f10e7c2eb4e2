// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/topology-section.h"

#include "common/error.h"
#include "configuration/component-codec.h"
#include "network/shape.h"
#include "network/topology-generator.h"

namespace nadi
{

namespace
{

/// MakeTopologyGenerator also counts what would be built, which the registry alone does not. So a
/// network that is too large is refused here, where its file and line are known.
ComponentKind
MakeGeneratorKind()
{
    ComponentKind kind =
        MakeRegisteredKind<TopologyGenerator>("generator of topologies", "generator");
    kind.check = [](const ComponentChoice& choice) { MakeTopologyGenerator(choice); };
    kind.keysBeside = {"file"}; // in the place of a generator
    return kind;
}

Codec<ComponentChoice>
MakeGeneratorCodec()
{
    return MakeComponentCodec(MakeGeneratorKind(), ComponentForm::Mapping);
}

Section
DescribeFile(std::string& file)
{
    return {WithExample(
        MakeRequiredField("file", file, MakePathCodec(), "A YAML file of nodes and links."),
        "topologies/cluster.yaml")};
}

/// The place that is kept, for errors of the graph, is where the file or the generator is named.
void
ReadTopology(const ConfigNode& node, NetworkConfig& network)
{
    if (node.kind != ConfigNode::Kind::Map)
    {
        node.Fail("is not a mapping; write {file: PATH} or {generator: NAME, ...}");
    }
    if (node.Find("generator") != nullptr)
    {
        network.generator = MakeGeneratorCodec().read(node);
        network.where = node.Find("generator")->Where();
        return;
    }
    if (node.Find("file") == nullptr)
    {
        RefuseMisnamedKeys(node, MakeGeneratorKind());
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
        return MakeGeneratorCodec().write(*network.generator);
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
    const Json generators = MakeGeneratorCodec().schema.Get()["anyOf"];
    for (const Json& generator : generators)
    {
        choices.push_back(generator);
    }
    return Json{{"anyOf", choices}};
}

} // namespace

Field
MakeTopologyField(NetworkConfig& network)
{
    Field field;
    field.name = "topology";
    field.help = "The network as nodes and links, in place of dimensions: {file: PATH}, or "
                 "{generator: NAME, "
                 "<parameters>}.";
    field.schema =
        Schema(&MakeTopologySchema)
            .With("examples",
                  Json::array({{{"generator", "leaf-spine"},
                                {"npus", 64},
                                {"npus-per-leaf", 8},
                                {"link", {{"bandwidth", "400 Gb/s"}, {"latency", "500 ns"}}},
                                {"spines", 4}}}));
    field.read = [&network](const ConfigNode& node) { ReadTopology(node, network); };
    field.write = [&network] { return WriteTopology(network); };
    return field;
}

std::optional<NodeHardware>
FindNodes(const NetworkConfig& network)
{
    return network.generator ? MakeTopologyGenerator(*network.generator)->Nodes() : std::nullopt;
}

std::vector<uint32_t>
FindNodeStack(const NetworkConfig& network)
{
    return network.generator ? MakeTopologyGenerator(*network.generator)->StackSizes()
                             : std::vector<uint32_t>{};
}

std::vector<ComponentChoice>
FindNodeShapes(const NetworkConfig& network)
{
    std::vector<ComponentChoice> shapes(FindNodeStack(network).size(), ComponentChoice(ROUTES));
    const std::optional<NodeHardware> nodes = FindNodes(network);
    // A node of one NPU has no links inside, so nothing is fully connected there.
    if (!shapes.empty() && nodes && nodes->wiring == NodeWiring::Mesh && nodes->npusPerNode > 1)
    {
        shapes.front() = ComponentChoice("fully-connected");
    }
    return shapes;
}

std::vector<Dimension>
FindDimensions(const NetworkConfig& network)
{
    return network.generator ? MakeTopologyGenerator(*network.generator)->Dimensions()
                             : network.dimensions;
}

} // namespace nadi
