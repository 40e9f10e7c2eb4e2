// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace/attribute-value.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nadi
{

/// The attributes of nodes that mean something to a simulation.
enum class NodeAttribute : uint8_t
{
    IsCpu,
    Operations,
    TensorSize,
    CollectiveType,
    CommunicationSize,
    Priority,
    Group,
    Source,
    Destination,
    Root,
    Tag,
    DurationMicros,
    DurationNanos, ///< goes before microseconds
    Stream,
    TensorLocation,
    Thread, ///< of the host
    MemoryOperation,
    SourceTier,
    DestinationTier,
    BytesMoved, ///< by a memory node
    Kind,       ///< of a message (MessageKind)
    Kernels,    ///< of a compute node (ParseKernels)
    WaitNanos,  ///< of recorded communication: how long it waited for others and for slots
    None,       ///< any other name
};

/// Finds an attribute by any of the names that writers use: comm_group is pg_name, src is
/// comm_src, runtime, simulated_run_time and duration_micros are durations in microseconds.
NodeAttribute FindNodeAttribute(std::string_view name);

/// Every name that FindNodeAttribute knows.
const std::vector<std::string>& KnownAttributeNames();

/// The name that messages use: "comm_size".
std::string_view ToText(NodeAttribute attribute);

/// The attributes that list what an all-to-all sends to, and receives from, each member.
enum class SplitList : uint8_t
{
    In,  ///< in_split_size: of the tensor that goes in, and so is sent
    Out, ///< out_split_size
};

/// "in_split_size", "out_split_size".
std::string_view ToText(SplitList list);

/// The attribute that lists for each dimension of the network whether a collective of all ranks
/// crosses it.
inline constexpr std::string_view INVOLVED_DIMENSIONS = "involved_dim";

/// None: no list has that name.
std::optional<SplitList> FindSplitList(std::string_view name);

/// Such a list as a file says it.
struct SplitNumbers
{
    std::vector<int64_t> numbers;
    bool isList = true; ///< false: the attribute is there, and no list of whole numbers

    bool operator==(const SplitNumbers&) const = default;
};

/// The numbers of "[1, 2, 3]" or "1, 2, 3".
SplitNumbers ParseSplitNumbers(std::string_view text);

/// One node as some trace file says it, before any meaning is given to it. Views point into the
/// file's buffer.
struct NodeRecord
{
    uint64_t id = 0;
    std::string_view name;
    uint64_t type = 0; ///< as numbered by the trace's schema
    std::vector<uint64_t> dataDependencies;
    std::vector<uint64_t> controlDependencies;
    std::string_view inputValues; ///< where process groups are defined
    std::array<AttributeValue, static_cast<size_t>(NodeAttribute::None)> attributes;
    std::array<SplitNumbers, 2> splits;
    bool leavesDimensionsOut = false; ///< a collective whose `involved_dim` has a false
    /// An attribute that the file says twice, with different values: the name where it stands last.
    std::string_view contradicted;
    /// Attributes that mean nothing here.
    std::vector<std::pair<std::string_view, AttributeValue>> others;

    const AttributeValue& Get(NodeAttribute attribute) const
    {
        return attributes[static_cast<size_t>(attribute)];
    }

    bool Has(NodeAttribute attribute) const
    {
        return IsPresent(Get(attribute));
    }

    const SplitNumbers& Splits(SplitList list) const
    {
        return splits[static_cast<size_t>(list)];
    }

    SplitNumbers& Splits(SplitList list)
    {
        return splits[static_cast<size_t>(list)];
    }

    /// Of two lists the last is kept, and `contradicted` tells.
    void SetSplits(SplitList list, SplitNumbers numbers);

    /// `None` is ignored.
    void Set(NodeAttribute attribute, const AttributeValue& value)
    {
        if (attribute != NodeAttribute::None)
        {
            attributes[static_cast<size_t>(attribute)] = value;
        }
    }

    /// Sets the attribute that a file calls `name`, or keeps one that means nothing among the
    /// others. A split size that is text is read as a list. Of two values the last is kept, and
    /// `contradicted` tells.
    void SetNamed(std::string_view name, const AttributeValue& value);

    /// Empties it for the next node, keeping its storage.
    void Clear();
};

} // namespace nadi
