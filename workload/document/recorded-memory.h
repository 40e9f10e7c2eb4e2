// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "proto/chakra.pb.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What the allocator of an accelerator had, each time that it gave memory away or took it back.
///
/// Holds: the lists are equally long and not empty, and the times do not decrease.
struct RecordedMemory
{
    int64_t device = 0;                  ///< of the process, as the recording counts them
    std::vector<int64_t> nanos;          ///< when, on the clock of the nodes' starts
    std::vector<int64_t> changeBytes;    ///< given away, or taken back where negative
    std::vector<int64_t> allocatedBytes; ///< given away in all, after the change
    std::vector<int64_t> reservedBytes;  ///< that the allocator has of the device, after the change
};

/// Keeps it as attributes of the trace: `memory_device`, and the lists `memory_nanos`,
/// `memory_change_bytes`, `memory_allocated_bytes` and `memory_reserved_bytes`. Readers that do not
/// know them pass them over.
void WriteRecordedMemory(const RecordedMemory& memory, ChakraProtoMsg::GlobalMetadata& metadata);

/// What such attributes say; nothing where there are none. Throws ConfigError, with `source` as the
/// place, where the lists are empty or not equally long, go back in time, or have numbers beyond 62
/// bits.
std::optional<RecordedMemory> ReadRecordedMemory(const ChakraProtoMsg::GlobalMetadata& metadata,
                                                 const std::string& source);

/// Whether an attribute of a trace is one of these.
bool IsMemoryAttribute(const std::string& name);

} // namespace nadi
