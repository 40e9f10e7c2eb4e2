// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/memory-attributes.h"

#include "workload/trace/node-numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace nadi
{

namespace
{

constexpr uint64_t UNSAID_MEMORY = 0; // of MemoryType
constexpr uint64_t REMOTE_MEMORY = 2;
constexpr std::string_view LOCAL_TIER = "G1";
constexpr std::array<std::string_view, 5> TIERS{LOCAL_TIER, "G2", "G3", "G3.5", "G4"};
constexpr std::array<std::string_view, 6> OPERATIONS{
    "LOAD", "STORE", "COPY", "ALLOC", "FREE", "MISS"};

bool
IsRemoteTier(const NodeRecord& record, NodeAttribute end)
{
    return record.Has(end) && ToText(record.Get(end)) != LOCAL_TIER;
}

void
CheckTier(const std::string& source, const NodeRecord& record, NodeAttribute end)
{
    const std::string tier = ToText(record.Get(end));
    if (record.Has(end) && std::ranges::find(TIERS, tier) == TIERS.end())
    {
        ThrowAtNode(
            source,
            record,
            fmt::format(
                "{} is \"{}\"; it must be {}", ToText(end), tier, "G1, G2, G3, G3.5 or G4"));
    }
}

/// A number of MemoryType.
uint64_t
ReadLocation(const std::string& source, const NodeRecord& record)
{
    const auto location = NodeNumbers(source, record).Read<uint64_t>(NodeAttribute::TensorLocation);
    if (location > REMOTE_MEMORY)
    {
        ThrowAtNode(source,
                    record,
                    fmt::format("tensor_loc is {}; it must be 1 (local) or 2 (remote)", location));
    }
    return location;
}

bool
SaysLocation(const std::string& source, const NodeRecord& record)
{
    using enum NodeAttribute;
    return ReadLocation(source, record) != UNSAID_MEMORY || record.Has(SourceTier) ||
           record.Has(DestinationTier);
}

bool
SaysRemote(const std::string& source, const NodeRecord& record)
{
    using enum NodeAttribute;
    return ReadLocation(source, record) == REMOTE_MEMORY || IsRemoteTier(record, SourceTier) ||
           IsRemoteTier(record, DestinationTier);
}

/// Where a copy goes is not in its type.
NodeType
FindCopyType(const std::string& source, const NodeRecord& record)
{
    using enum NodeAttribute;
    const bool hasBoth = record.Has(SourceTier) && record.Has(DestinationTier);
    const bool fromRemote = IsRemoteTier(record, SourceTier);
    if (!hasBoth || (fromRemote && IsRemoteTier(record, DestinationTier)))
    {
        ThrowAtNode(source,
                    record,
                    hasBoth ? "copies from one remote tier to another; write a copy from or to G1"
                            : "copies, but does not say from where to where; write src_tier and "
                              "dst_tier");
    }
    return fromRemote ? NodeType::MemoryLoad : NodeType::MemoryStore;
}

/// The type that mem_op says.
NodeType
FindType(const std::string& source, const NodeRecord& record)
{
    const std::string operation = ToText(record.Get(NodeAttribute::MemoryOperation));
    if (operation == "LOAD")
    {
        return NodeType::MemoryLoad;
    }
    if (operation == "STORE")
    {
        return NodeType::MemoryStore;
    }
    if (operation == "COPY")
    {
        return FindCopyType(source, record);
    }
    if (operation == "ALLOC" || operation == "FREE" || operation == "MISS")
    {
        return NodeType::Metadata;
    }
    ThrowAtNode(source,
                record,
                fmt::format("mem_op is \"{}\"; it must be LOAD, STORE, COPY, ALLOC, FREE or MISS",
                            operation));
}

} // namespace

bool
IsMemoryWord(std::string_view text)
{
    return std::ranges::find(TIERS, text) != TIERS.end() ||
           std::ranges::find(OPERATIONS, text) != OPERATIONS.end();
}

void
ReadMemoryAttributes(const std::string& source,
                     const NodeRecord& record,
                     MemoryLocation defaultLocation,
                     ExecutionNode& node)
{
    using enum NodeAttribute;
    const NodeNumbers numbers(source, record);
    node.size = numbers.Read<uint64_t>(record.Has(TensorSize) ? TensorSize : BytesMoved);
    CheckTier(source, record, SourceTier);
    CheckTier(source, record, DestinationTier);
    node.isLocationOpen = !SaysLocation(source, record);
    node.isRemote = node.isLocationOpen ? defaultLocation == MemoryLocation::Remote
                                        : SaysRemote(source, record);
    // mem_op goes before the type that the node has in the file.
    if (record.Has(MemoryOperation))
    {
        node.type = FindType(source, record);
    }
}

} // namespace nadi
