// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/recorded-memory.h"

#include "common/error.h"
#include "workload/document/metadata-attributes.h"

#include <algorithm>
#include <array>

namespace nadi
{

namespace
{

using ChakraProtoMsg::AttributeProto;
using ChakraProtoMsg::GlobalMetadata;

constexpr const char* DEVICE_NAME = "memory_device";

struct MemoryList
{
    const char* name;
    std::vector<int64_t> RecordedMemory::*values;
};

// Reading, writing and checking all go over this table, so that none of them forgets a list.
constexpr std::array MEMORY_LISTS{
    MemoryList{"memory_nanos", &RecordedMemory::nanos},
    MemoryList{"memory_change_bytes", &RecordedMemory::changeBytes},
    MemoryList{"memory_allocated_bytes", &RecordedMemory::allocatedBytes},
    MemoryList{"memory_reserved_bytes", &RecordedMemory::reservedBytes}};

/// More than any device has; sums of two stay in 64 bits.
constexpr int64_t MOST_VALUE = int64_t{1} << 62;

bool
IsGood(const RecordedMemory& memory)
{
    const auto isGood = [&memory](const MemoryList& list)
    {
        const std::vector<int64_t>& values = memory.*list.values;
        return values.size() == memory.nanos.size() &&
               std::ranges::all_of(
                   values, [](int64_t value) { return value < MOST_VALUE && value > -MOST_VALUE; });
    };
    return !memory.nanos.empty() && std::ranges::all_of(MEMORY_LISTS, isGood) &&
           std::ranges::is_sorted(memory.nanos);
}

} // namespace

void
WriteRecordedMemory(const RecordedMemory& memory, GlobalMetadata& metadata)
{
    AttributeProto& device = *metadata.add_attr();
    device.set_name(DEVICE_NAME);
    device.set_int64_val(memory.device);
    for (const MemoryList& list : MEMORY_LISTS)
    {
        AttributeProto& attribute = *metadata.add_attr();
        attribute.set_name(list.name);
        for (const int64_t value : memory.*list.values)
        {
            attribute.mutable_int64_list()->add_values(value);
        }
    }
}

std::optional<RecordedMemory>
ReadRecordedMemory(const GlobalMetadata& metadata, const std::string& source)
{
    RecordedMemory memory;
    bool isThere = false;
    for (const MemoryList& list : MEMORY_LISTS)
    {
        if (const AttributeProto* const attribute = FindMetadata(metadata, list.name))
        {
            // An attribute of another type gives an empty list, which IsGood refuses.
            const auto& values = attribute->int64_list().values();
            (memory.*list.values).assign(values.begin(), values.end());
            isThere = true;
        }
    }
    // Without any of the lists memory was not recorded. Where only some are there, it was, and the
    // recording is damaged.
    if (!isThere)
    {
        return std::nullopt;
    }
    if (!IsGood(memory))
    {
        throw ConfigError(
            source,
            "the attributes memory_nanos, memory_change_bytes, "
            "memory_allocated_bytes and memory_reserved_bytes of the trace must be "
            "lists of int64 of one length, not empty, by time; `nadi trace convert` writes "
            "them so");
    }
    const AttributeProto* const device = FindMetadata(metadata, DEVICE_NAME);
    memory.device = device == nullptr ? 0 : device->int64_val();
    return memory;
}

bool
IsMemoryAttribute(const std::string& name)
{
    return name == DEVICE_NAME ||
           std::ranges::any_of(MEMORY_LISTS,
                               [&name](const MemoryList& list) { return name == list.name; });
}

} // namespace nadi
