// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/conversion/pytorch-call.h"
#include "workload/trace/process-groups.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// An event of a Kineto trace that took time: an operator or a call of the runtime on a thread of
/// the host, or work on a stream of the device.
struct KinetoEvent
{
    enum class Kind : uint8_t
    {
        Operator,
        Annotation, ///< a range that the program marks, as `ProfilerStep#3` does
        Runtime,    ///< a call of the device's runtime or driver
        Kernel,
        Copy,
        Set,             ///< memset
        Synchronization, ///< what Kineto knows of a call that waits
    };

    Kind kind = Kind::Operator;
    bool isBackward = false; ///< an operator of a backward pass, or a step of its engine
    uint32_t stream = 0;     ///< of device work; of the one that waits, for a synchronization
    std::string name = {};
    int64_t thread = 0; ///< of the host
    int64_t startNs = 0;
    int64_t endNs = 0;                           ///< startNs or later
    std::optional<uint64_t> correlation = {};    ///< one for a call and the work that it launches
    std::optional<uint64_t> recordFunction = {}; ///< one for an operator here and in the host trace
    /// One for an operator of the forward pass and the step of the backward pass that computes its
    /// gradient.
    std::optional<uint64_t> sequence = {};
    std::optional<PytorchCall> call = {};       ///< where the event tells of a collective
    std::optional<uint32_t> awaitedStream = {}; ///< of a synchronization
    std::optional<uint64_t> awaitedCorrelation =
        {}; ///< of the call that recorded the awaited event

    bool IsDeviceWork() const
    {
        return kind == Kind::Kernel || kind == Kind::Copy || kind == Kind::Set;
    }
};

/// A module of the network at work, as recordings with modules or stacks have them.
struct KinetoModule
{
    std::string name; ///< "nn.Module: Block_3"
    int64_t thread = 0;
    int64_t startNs = 0;
    int64_t endNs = 0;
};

/// That the allocator of an accelerator gave memory away or took it back, as the profiler's option
/// profile_memory records it.
struct KinetoMemory
{
    int64_t ns = 0;
    int64_t device = 0;
    int64_t changeBytes = 0;    ///< negative where it was given back
    int64_t allocatedBytes = 0; ///< given away in all, after the change
    int64_t reservedBytes = 0;  ///< that the allocator has, after the change
};

/// What a conversion needs of a Kineto trace: the recording of one process by PyTorch's profiler.
struct KinetoTrace
{
    std::string source; ///< the file, for messages
    std::string schema;
    std::vector<KinetoEvent> events;   ///< in the order of the file
    std::vector<KinetoModule> modules; ///< in the order of the file
    std::vector<KinetoMemory> memory;  ///< of accelerators, in the order of the file
    uint64_t memoryWithoutTotals = 0;  ///< such events that lack totals, and are left out
    std::optional<int64_t> device;     ///< that the work ran on, where it says one
    ProcessGroups groups;              ///< of distributedInfo
    std::optional<uint32_t> rank;
    std::optional<uint32_t> worldSize;
    std::map<std::string, uint64_t> skipped; ///< events of categories that no conversion knows
};

/// Reads a Kineto trace, compressed or not. Times are nanoseconds of the trace's clock.
///
/// Throws ConfigError for what is no such trace, for events without what they need, and for the
/// recording of a process that used several devices, as a rank has one NPU.
KinetoTrace ReadKinetoTrace(const std::string& path);
KinetoTrace ParseKinetoTrace(std::string contents, const std::string& source);

} // namespace nadi
