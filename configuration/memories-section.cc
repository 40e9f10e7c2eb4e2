// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/memories-section.h"

#include "network/topology-limits.h"

namespace nadi
{

namespace
{

const std::string EXPECTED_NAMES = "the names of NPUs and switches, such as npu* or [leaf0, leaf1]";

/// A name, or a list of them in which one may stand twice.
Codec<std::vector<std::string>>
MakeAttachCodec()
{
    const Codec<std::string> name = MakeTextCodec(EXPECTED_NAMES);
    const Codec<std::vector<std::string>> names = MakeListCodec(name, EXPECTED_NAMES);
    Codec<std::vector<std::string>> codec;
    codec.schema = [name, names] {
        return Json{{"anyOf", Json::array({name.schema.Get(), names.schema.Get()})}};
    };
    codec.read = [name, names](const ConfigNode& node) -> std::vector<std::string>
    {
        if (node.kind != ConfigNode::Kind::List)
        {
            return {name.read(node)};
        }
        if (node.children.empty())
        {
            node.Fail("is empty, so that the memories would hang on nothing; write " +
                      EXPECTED_NAMES);
        }
        return names.read(node);
    };
    codec.write = [name, names](const std::vector<std::string>& value)
    { return value.size() == 1 ? name.write(value.front()) : names.write(value); };
    return codec;
}

/// MakeSectionField alone would let the whole section be left out, though its keys are required.
Field
MakeMemoryLinkField(MemoryGroup& group)
{
    Field field = MakeSectionField(
        "link",
        {MakeRequiredField("bandwidth",
                           group.linkBandwidth,
                           MakeRateCodec(),
                           "The bandwidth of the link in one direction, such as 128 GB/s."),
         MakeRequiredField("latency",
                           group.linkLatency,
                           MakeTimeCodec(),
                           "The latency of the link, such as 500 ns.")},
        "The one link of each memory.");
    field.isRequired = true;
    return field;
}

Section
DescribeMemories(MemoryGroup& group)
{
    return {
        WithExample(MakeRequiredField("name",
                                      group.name,
                                      MakeTextCodec("a name, such as pool"),
                                      "Memory i is called by this name and i, such as pool0."),
                    "pool"),
        MakeField(
            "count", group.count, MakeCountCodec(1, MOST_VERTICES), "How many memories there are."),
        WithExample(
            MakeRequiredField("attach",
                              group.attach,
                              MakeAttachCodec(),
                              "What the memories hang on, one after the other and then from the "
                              "first again: the names of NPUs and switches, in which * stands for "
                              "any letters. A name may stand there twice."),
            "spine*"),
        MakeMemoryLinkField(group),
        MakeField("bandwidth",
                  group.bandwidth,
                  MakeRateCodec(),
                  "The rate at which a memory reads and writes, one slice after the other."),
        MakeField("latency",
                  group.latency,
                  MakeTimeCodec(),
                  "The time that an access takes besides, while the memory serves the next."),
    };
}

Codec<MemoryGroup>
MakeMemoryGroupCodec()
{
    Codec<MemoryGroup> codec = MakeMappingCodec<MemoryGroup>(&DescribeMemories);
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        MemoryGroup group = read(node);
        // AttachMemories looks up what the memories hang on when the topology is made. Errors then
        // need this place.
        group.where = node.Where() + ": " + node.Path();
        return group;
    };
    return codec;
}

} // namespace

Field
MakeMemoriesField(NetworkConfig& network)
{
    return WithExample(
        MakeField("memories",
                  network.memories,
                  MakeListCodec(MakeMemoryGroupCodec(), "a list of {name, count, attach, link}"),
                  "Memories that ranks reach over the network (system.memory.remote): a list of "
                  "{name, count, attach, link, bandwidth, latency}."),
        Json::array({{{"name", "pool"},
                      {"count", 4},
                      {"attach", "spine*"},
                      {"link", {{"bandwidth", "128 GB/s"}, {"latency", "500 ns"}}}}}));
}

} // namespace nadi
