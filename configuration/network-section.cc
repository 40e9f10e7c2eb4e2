// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/component-codec.h"
#include "configuration/faults-section.h"
#include "configuration/in-network-section.h"
#include "configuration/memories-section.h"
#include "configuration/packet-section.h"
#include "configuration/sections.h"
#include "configuration/topology-section.h"
#include "network/backend-kind.h"
#include "network/shape.h"
#include "network/topology-limits.h"

namespace nadi
{

namespace
{

ComponentKind
MakeShapeKind()
{
    ComponentKind kind = MakeRegisteredKind<Shape>("shape", "shape");
    kind.keysBeside = {"size", "bandwidth", "latency"};
    return kind;
}

/// The keys of a dimension whose shape is known: the shape with its parameters, and the links.
Section
DescribeDimension(const ComponentKind& shapes, Dimension& dimension)
{
    Section section = DescribeComponent(shapes, dimension.shape);
    // The shape comes first and its parameters last. The keys that all dimensions have stand
    // between.
    section.insert(
        section.begin() + 1,
        {MakeRequiredField("size",
                           dimension.size,
                           MakeCountCodec(1, MOST_VERTICES),
                           "The number of NPUs along the dimension."),
         MakeRequiredField("bandwidth",
                           dimension.bandwidth,
                           MakeRateCodec(),
                           "The bandwidth of one link in one direction, such as 62 GB/s."),
         MakeRequiredField("latency",
                           dimension.latency,
                           MakeTimeCodec(),
                           "The latency of one link, such as 500 ns.")});
    section.front().help = "The shape in which the NPUs along the dimension are joined.";
    return section;
}

Dimension
ReadDimension(const ConfigNode& node, const ComponentKind& shapes)
{
    Dimension dimension;
    ReadComponentName(node, shapes, dimension.shape);
    ReadSection(node, DescribeDimension(shapes, dimension));
    CompleteComponent(node, shapes, dimension.shape);
    return dimension;
}

/// The shapes share their keys, but for their parameters.
Json
MakeDimensionSchema(const ComponentKind& shapes)
{
    std::vector<std::string> plain;
    Json choices = Json::array();
    for (const ComponentInfo& shape : shapes.components)
    {
        Dimension dimension;
        dimension.shape.name = shape.name;
        Json schema = MakeSectionSchema(DescribeDimension(shapes, dimension));
        if (shape.parameters.empty())
        {
            plain.push_back(shape.name);
            // All shapes without parameters share the first alternative, whose list of names grows.
            schema["properties"]["shape"]["enum"] = plain;
            choices[0] = schema;
            continue;
        }
        schema["title"] = shapes.noun + " " + shape.name;
        schema["properties"]["shape"] = Json{{"const", shape.name}};
        choices.push_back(schema);
    }
    return choices.size() == 1 ? choices[0] : Json{{"anyOf", choices}};
}

Codec<Dimension>
MakeDimensionCodec()
{
    const auto shapes = std::make_shared<const ComponentKind>(MakeShapeKind());
    Codec<Dimension> codec;
    codec.schema = [shapes] { return MakeDimensionSchema(*shapes); };
    codec.read = [shapes](const ConfigNode& node) { return ReadDimension(node, *shapes); };
    codec.write = [shapes](const Dimension& dimension)
    {
        // A section binds to an object that it may change, also where it is only written.
        Dimension copy = dimension;
        return WriteSection(DescribeDimension(*shapes, copy));
    };
    return codec;
}

/// Made by hand, as `topology` may stand in its place: without dimensions the key is not written,
/// while an empty list that somebody wrote is refused.
Field
MakeDimensionsField(NetworkConfig& network)
{
    const auto codec =
        MakeListCodec(MakeDimensionCodec(), "a list of {shape, size, bandwidth, latency}");
    Field field;
    field.name = "dimensions";
    field.help =
        "The network as a stack of dimensions, innermost first: a list of {shape, size, bandwidth, "
        "latency}.";
    field.schema = codec.schema.With(
        "examples",
        Json::array({Json::array(
            {{{"shape", "ring"}, {"size", 8}, {"bandwidth", "62 GB/s"}, {"latency", "500 ns"}}})}));
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

/// Names and values are for ns-3 to judge, when the network is built.
Codec<std::vector<Ns3Attribute>>
MakeNs3Codec()
{
    Codec<std::vector<Ns3Attribute>> codec;
    codec.schema = []
    {
        Json schema{{"type", "object"}};
        schema["additionalProperties"]["type"] = {"string", "number", "boolean"};
        return schema;
    };
    codec.read = [](const ConfigNode& node)
    {
        if (node.kind != ConfigNode::Kind::Map && node.kind != ConfigNode::Kind::Null)
        {
            node.Fail("is not a mapping; write {\"ns3::<type>::<attribute>\": value}");
        }
        // The order is kept: ns-3 is given the attributes one after the other.
        std::vector<Ns3Attribute> attributes;
        for (const ConfigNode& child : node.children)
        {
            attributes.push_back({.name = child.key,
                                  .value = child.Scalar("a value of the attribute"),
                                  .where = child.Where() + ": " + child.Path()});
        }
        return attributes;
    };
    codec.write = [](const std::vector<Ns3Attribute>& attributes)
    {
        Json values = Json::object();
        for (const Ns3Attribute& attribute : attributes)
        {
            values[attribute.name] = attribute.value;
        }
        return values;
    };
    return codec;
}

} // namespace

Section
DescribeNetwork(NetworkConfig& network)
{
    return {
        MakeField("backend",
                  network.backend,
                  MakeComponentCodec(MakeRegisteredKind<BackendKind>("backend", "name"),
                                     ComponentForm::NameOrMapping),
                  "How messages travel: packet by packet (packet), as flows at max-min fair rates "
                  "(flow), or "
                  "by a formula that knows contention at the NPUs only (analytical)."),
        MakeDimensionsField(network),
        MakeTopologyField(network),
        MakePacketField(network),
        WithExample(
            MakeField("ns3",
                      network.packet.ns3,
                      MakeNs3Codec(),
                      "Attributes of the ns-3 objects by their full names, such as "
                      "{\"ns3::FabricSwitch::BufferSize\": 32 MB}. They override other keys."),
            {{"ns3::FabricSwitch::BufferSize", "32 MB"}}),
        MakeInNetworkField(network),
        MakeMemoriesField(network),
        MakeFaultsField(network),
        MakeField("reroute-after",
                  network.packet.rerouteAfter,
                  MakeTimeCodec(),
                  "The time from the failure of a link until switches use other routes."),
    };
}

} // namespace nadi
