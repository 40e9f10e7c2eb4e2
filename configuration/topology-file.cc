// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/topology-file.h"

#include "configuration/config-document.h"
#include "configuration/field.h"
#include "configuration/yaml-reader.h"
#include "network/topology-limits.h"

namespace nadi
{

namespace
{

constexpr uint32_t MAX_PARALLEL = 4096;

Section
DescribeNodes(ExplicitTopology& topology)
{
    return {
        MakeRequiredField("npus",
                          topology.npuCount,
                          MakeCountCodec(1, MOST_VERTICES),
                          "The number of NPUs. They are named npu0, npu1, and so on."),
        MakeField("switches",
                  topology.switches,
                  MakeListCodec(MakeTextCodec("a name"), "names such as [leaf0, spine0]"),
                  "The names of the switches."),
    };
}

Section
DescribeLink(LinkSpec& link)
{
    const auto direction = MakeChoiceCodec<LinkDirection>(
        {{"both", LinkDirection::Both}, {"forward", LinkDirection::Forward}});
    return {
        MakeRequiredField(
            "from", link.from, MakeTextCodec("the name of a node"), "The node at one end."),
        MakeRequiredField(
            "to", link.to, MakeTextCodec("the name of a node"), "The node at the other end."),
        MakeRequiredField("bandwidth",
                          link.bandwidth,
                          MakeRateCodec(),
                          "The bandwidth of one link in one direction, such as 400 Gb/s."),
        MakeRequiredField(
            "latency", link.latency, MakeTimeCodec(), "The latency of one link, such as 500 ns."),
        MakeField(
            "count", link.count, MakeCountCodec(1, MAX_PARALLEL), "The number of parallel links."),
        MakeField("direction",
                  link.direction,
                  direction,
                  "Whether the links go both ways alike, or from one end to the other only."),
    };
}

Codec<LinkSpec>
MakeTopologyLinkCodec()
{
    Codec<LinkSpec> codec = MakeMappingCodec<LinkSpec>(&DescribeLink);
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        LinkSpec link = read(node);
        link.where = node.Where() + ": " + node.Path();
        return link;
    };
    return codec;
}

/// Errors about the graph as a whole, such as nodes that no link joins, name this place.
Field
MakeNodesField(ExplicitTopology& topology)
{
    Field field = MakeSectionField("nodes",
                                   DescribeNodes(topology),
                                   "The NPUs and switches, such as {npus: 8, switches: [leaf0]}.");
    field.isRequired = true;
    field.read = [&topology, read = field.read](const ConfigNode& node)
    {
        topology.where = node.Where() + ": " + node.Path();
        read(node);
    };
    return field;
}

} // namespace

ExplicitTopology
ReadTopologyFile(const std::filesystem::path& file, const std::string& where)
{
    std::ifstream stream = OpenFile(file, where);
    const SourceText source{file.string(), file.parent_path(), true};
    ConfigNode root = ReadYaml(stream, source);
    root.Seal();
    ExplicitTopology topology;
    ReadSection(
        root,
        {MakeNodesField(topology),
         MakeRequiredField("links",
                           topology.links,
                           MakeListCodec(MakeTopologyLinkCodec(), "a list of {from, to, ...}"),
                           "The links, a list of {from, to, bandwidth, latency}.")});
    return topology;
}

} // namespace nadi
