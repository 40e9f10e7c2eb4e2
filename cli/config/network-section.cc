// SPDX-License-Identifier: GPL-2.0-only
#include "cli/config/not-yet.h"
#include "cli/config/packet-section.h"
#include "cli/config/registry-codec.h"
#include "cli/config/sections.h"
#include "network/shape.h"

namespace nadi
{

namespace
{

Section
DescribeDimension(Dimension& dimension)
{
    return {
        MakeRequiredField("shape",
                          dimension.shape,
                          MakeRegistryCodec<Shape>(),
                          "how the NPUs along it are joined"),
        MakeRequiredField("size", dimension.size, MakeCountCodec(1), "NPUs along it"),
        MakeRequiredField("bandwidth",
                          dimension.bandwidth,
                          MakeRateCodec(),
                          "of one link in one direction, such as 62 GB/s"),
        MakeRequiredField(
            "latency", dimension.latency, MakeTimeCodec(), "of one link, such as 500 ns"),
    };
}

Field
MakeDimensionsField(NetworkConfig& network)
{
    const auto codec = MakeListCodec(MakeMappingCodec<Dimension>(&DescribeDimension),
                                     "a list of {shape, size, bandwidth, latency}");
    Field field;
    field.name = "dimensions";
    field.help = "the network as a stack of dimensions, innermost first";
    field.schema = codec.schema;
    field.read = [&network, codec](const ConfigNode& node)
    {
        network.dimensions = codec.read(node);
        network.where = node.Where();
        if (network.dimensions.empty())
        {
            node.Fail("is empty; write at least one {shape, size, bandwidth, latency}");
        }
    };
    field.write = [&network, codec]() -> std::optional<Json>
    {
        return network.dimensions.empty() ? std::nullopt
                                          : std::optional<Json>(codec.write(network.dimensions));
    };
    return field;
}

const std::vector<std::string> GENERATORS{"dragonfly", "fat-tree", "leaf-spine", "rail"};

void
ReadTopology(const ConfigNode& node, NetworkConfig& network)
{
    const ConfigNode* generator = node.Find("generator");
    if (generator != nullptr)
    {
        MakeWordCodec(GENERATORS).read(*generator);
        generator->Fail("\"" + generator->text +
                        "\" is not available yet; write {file: PATH} or network.dimensions");
    }
    std::string file;
    ReadSection(
        node, {MakeRequiredField("file", file, MakePathCodec(), "a YAML file of nodes and links")});
    network.topologyFile = file;
    network.where = node.Find("file")->Where();
}

Field
MakeTopologyField(NetworkConfig& network)
{
    Field field;
    field.name = "topology";
    field.help = "the network as nodes and links: {file: PATH}, instead of dimensions";
    field.schema["type"] = "object";
    field.schema["properties"]["file"]["type"] = "string";
    field.schema["properties"]["generator"]["enum"] = GENERATORS;
    field.read = [&network](const ConfigNode& node) { ReadTopology(node, network); };
    field.write = [&network]() -> std::optional<Json>
    {
        if (!network.topologyFile)
        {
            return std::nullopt;
        }
        Json value = Json::object();
        value["file"] = *network.topologyFile;
        return value;
    };
    return field;
}

} // namespace

Section
DescribeNetwork(NetworkConfig& network)
{
    return {
        MakeNotYetField(
            {"backend", "packet", "how messages travel", {"analytical", "flow", "packet"}}),
        MakeDimensionsField(network),
        MakeTopologyField(network),
        MakeSectionField("packet", DescribePacket(network), "the packet network"),
        MakeNotYetEmptyField("ns3", Json::object(), "ns-3 attributes by full name"),
        MakeNotYetEmptyField("faults", Json::array(), "links that fail, lose frames or slow down"),
        MakeNotYetField({"reroute-after",
                         "1 ms",
                         "from a link's failure to new routes",
                         {},
                         ParameterKind::Duration}),
    };
}

} // namespace nadi
