// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/memory-section.h"

#include <utility>

namespace nadi
{

namespace
{

using Through = MemoryOptions::Through;

Section
DescribeSpeed(MemorySpeed& speed)
{
    return {
        MakeField("latency", speed.latency, MakeTimeCodec(), "The latency of an access."),
        MakeField("bandwidth", speed.bandwidth, MakeRateCodec(), "The bandwidth of the memory."),
    };
}

/// Left out of the effective configuration unless `memory` satisfies `isWritten`.
/// CheckThrough and CheckShared refuse keys without effect, so an effective configuration that had
/// them could not be read again.
template <class Predicate>
Field
WrittenIf(Field field, const MemoryOptions& memory, Predicate isWritten)
{
    field.write = [&memory, isWritten, write = field.write]() -> std::optional<Json>
    { return isWritten(memory) ? write() : std::nullopt; };
    return field;
}

Field
MakeSharedField(MemoryOptions& memory)
{
    const auto sharing =
        MakeChoiceCodec<MemoryOptions::Sharing>({{"no", MemoryOptions::Sharing::PerNpu},
                                                 {"node", MemoryOptions::Sharing::Node},
                                                 {"all", MemoryOptions::Sharing::All}});
    Field shared = MakeField("shared",
                             memory.sharing,
                             sharing,
                             "Which ranks share the bandwidth of the remote memory: each has its "
                             "own (no), the ranks of a "
                             "node share it (node), or all do (all).");
    shared.schema = shared.schema.With("enum", {"no", "node", "all", false});
    shared.read = [&memory, read = shared.read](const ConfigNode& node)
    {
        // The other words for no (off, false) mean the same.
        const bool isNo =
            node.kind == ConfigNode::Kind::Scalar && FindSwitch(node.text) == std::optional(false);
        isNo ? void(memory.sharing = MemoryOptions::Sharing::PerNpu) : read(node);
    };
    return shared;
}

/// The keys of `through: formula`.
/// The keys of both ways stand side by side in `remote`, and `through` says which of them hold.
Section
DescribeFormula(MemoryOptions& memory)
{
    Section section = DescribeSpeed(memory.remote);
    section.push_back(MakeSharedField(memory));
    section.push_back(
        WrittenIf(MakeField("ranks-per-node",
                            memory.ranksPerNode,
                            MakeCountCodec(1),
                            "How many consecutive NPUs share a memory. For shared: node only."),
                  memory,
                  [](const MemoryOptions& options)
                  { return options.sharing == MemoryOptions::Sharing::Node; }));
    return section;
}

/// How groups load and store together.
Section
DescribeGather(MemoryOptions& memory)
{
    return {MakeField("multicast",
                      memory.multicasts,
                      MakeSwitchCodec(),
                      "Whether what a memory holds leaves it once, to be copied on its way to the "
                      "members of the group, and is written once, reduced on its way. Otherwise it "
                      "is read, or written, once for each member."),
            MakeField("tree",
                      memory.treeOrder,
                      MakeChoiceCodec<MemoryTreeOrder>({{"along-edge", MemoryTreeOrder::AlongEdge},
                                                        {"inward", MemoryTreeOrder::Inward}}),
                      "How the trees of memories at the edge of a mesh run: first along the edge "
                      "and from there inward, or first inward and from there to both sides.")};
}

/// The keys of `through: network`.
Section
DescribeNetworkAccess(MemoryOptions& memory)
{
    const auto place =
        MakeChoiceCodec<MemoryOptions::Place>({{"own", MemoryOptions::Place::Own},
                                               {"nearest", MemoryOptions::Place::Nearest},
                                               {"interleaved", MemoryOptions::Place::Interleaved}});
    return {
        WithDefault(MakeField(
            "place",
            memory.place,
            place,
            "Which of network.memories hold what a rank loads and stores: the one with the number "
            "of its NPU (own), the one that the fewest links join to it (nearest), or all of them, "
            "slice by slice (interleaved). For through: network only.")),
        WithDefault(MakeField("slice",
                              memory.slice,
                              MakePositiveSizeCodec(),
                              "The size of the messages that an access is cut into. For through: "
                              "network only.")),
        MakeSectionField("gather",
                         DescribeGather(memory),
                         "How the ranks of a group load a tensor together that all of them need, "
                         "and store the sum of theirs. For through: network only.")};
}

Section
DescribeRemote(MemoryOptions& memory)
{
    Section section;
    for (Field& field : DescribeFormula(memory))
    {
        section.push_back(WrittenIf(std::move(field),
                                    memory,
                                    [](const MemoryOptions& options)
                                    { return options.through == Through::Formula; }));
    }
    section.push_back(MakeField(
        "through",
        memory.through,
        MakeChoiceCodec<Through>({{"formula", Through::Formula}, {"network", Through::Network}}),
        "How long a remote access takes: latency + size / bandwidth (formula), or as "
        "long as its messages need to and from network.memories (network)."));
    for (Field& field : DescribeNetworkAccess(memory))
    {
        section.push_back(WrittenIf(std::move(field),
                                    memory,
                                    [](const MemoryOptions& options)
                                    { return options.through == Through::Network; }));
    }
    return section;
}

/// What would do nothing is an error.
void
CheckThrough(const ConfigNode& node, MemoryOptions memory)
{
    const bool isNetwork = memory.through == Through::Network;
    // Only the names of these keys matter here. `memory` is a copy, since a section binds to an
    // object that it may change.
    const Section refused = isNetwork ? DescribeFormula(memory) : DescribeNetworkAccess(memory);
    for (const Field& field : refused)
    {
        if (const ConfigNode* const given = node.Find(field.name))
        {
            given->FailAtKey(isNetwork ? "is of \"through: formula\"; remove it: network.memories "
                                         "have their own speed"
                                       : "is of \"through: network\"; add that or remove it");
        }
    }
}

/// `ranks-per-node` cannot be taken from the network, which need not have nodes at all.
void
CheckShared(const ConfigNode& node, const MemoryOptions& memory)
{
    const ConfigNode* perNode = node.Find("ranks-per-node");
    const bool isNode = memory.sharing == MemoryOptions::Sharing::Node;
    if (isNode && perNode == nullptr)
    {
        node.Fail("key \"ranks-per-node\" is missing; write {shared: node, ranks-per-node: 8}");
    }
    if (!isNode && perNode != nullptr)
    {
        perNode->FailAtKey("is of \"shared: node\"; add that or remove it");
    }
}

Field
MakeDefaultLocationField(MemoryOptions& memory)
{
    return MakeField(
        "default-location",
        memory.defaultLocation,
        MakeChoiceCodec<MemoryLocation>(
            {{"local", MemoryLocation::Local}, {"remote", MemoryLocation::Remote}}),
        "The memory that memory nodes of a trace access if their attributes do not say local or "
        "remote.");
}

} // namespace

Field
MakeMemoryField(SystemConfig& system)
{
    MemoryOptions& memory = system.memory;
    Field remote =
        MakeSectionField("remote", DescribeRemote(memory), "The memory outside the NPU.");
    remote.read = [&system, &memory, read = remote.read](const ConfigNode& node)
    {
        read(node);
        CheckThrough(node, memory);
        CheckShared(node, memory);
        system.remoteMemoryWhere = node.Where() + ": " + node.Path();
    };
    return MakeSectionField(
        "memory",
        {MakeDefaultLocationField(memory),
         MakeSectionField("local", DescribeSpeed(memory.local), "The memory of the NPU."),
         remote},
        "How long memory nodes of a trace take: latency + size / bandwidth, or what the network "
        "needs.");
}

} // namespace nadi
