// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/pytorch-converter.h"

#include "common/error.h"
#include "workload/document/recorded-memory.h"
#include "workload/document/recorded-ranks.h"
#include "workload/tools/conversion/recording-writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace nadi
{

namespace
{

constexpr uint32_t MOST_RANKS = 1U << 24;

void
AddMetadataText(const char* name, const std::string& value, TraceDocument& document)
{
    ChakraProtoMsg::AttributeProto& attribute = *document.metadata.add_attr();
    attribute.set_name(name);
    attribute.set_string_val(value);
}

/// Groups of both traces; the device's know the ranks where the host's may leave them out.
ProcessGroups
JoinGroups(const KinetoTrace& device, const PytorchHostTrace* host)
{
    ProcessGroups groups = device.groups;
    if (host != nullptr)
    {
        groups.insert(host->groups.begin(), host->groups.end());
    }
    return groups;
}

void
CheckRank(const KinetoTrace& device, uint32_t rank, uint32_t rankCount)
{
    if (device.worldSize.value_or(0) > MOST_RANKS)
    {
        throw ConfigError(device.source,
                          fmt::format("is of a job of {} ranks; at most {} can be simulated",
                                      *device.worldSize,
                                      MOST_RANKS));
    }
    // A single file may be of any rank of its job.
    if (rankCount > 1 && device.rank && *device.rank != rank)
    {
        throw ConfigError(
            device.source,
            fmt::format("is the recording of rank {}, but stands in the place of "
                        "rank {}; give the files in the order of ranks, or with {{rank}} "
                        "for the number in their names",
                        *device.rank,
                        rank));
    }
}

void
NoteDevice(const KinetoTrace& device, uint32_t converted, ConversionNotes& notes)
{
    for (const auto& [category, count] : device.skipped)
    {
        notes.Count(fmt::format("events of category \"{}\" are left out: nothing here knows them",
                                category),
                    count);
    }
    if (device.worldSize && *device.worldSize != converted)
    {
        notes.Say(fmt::format("the recorded job had {} ranks, of which {} {} converted",
                              *device.worldSize,
                              converted,
                              converted == 1 ? "is" : "are"));
    }
}

void
NoteHost(const PytorchHostTrace& host, const PytorchHostLinks& links, ConversionNotes& notes)
{
    notes.Count("operators of host traces are left out: no event of the device traces times them",
                links.unlinkedNodes);
    notes.Count("process_group:init nodes cannot be read: their groups are unknown",
                host.unreadableGroups);
}

/// A trace that is made of the events has their times, and the simulated clock counts picoseconds
/// in 63 bits. Without events `first` stays greater than `last`.
void
CheckSpan(const KinetoTrace& device)
{
    constexpr uint64_t MOST_NS = std::numeric_limits<int64_t>::max() / 1000;
    int64_t first = std::numeric_limits<int64_t>::max();
    int64_t last = std::numeric_limits<int64_t>::min();
    for (const KinetoEvent& event : device.events)
    {
        first = std::min(first, event.startNs);
        last = std::max(last, event.endNs);
    }
    if (first<last&& static_cast<uint64_t>(last) - static_cast<uint64_t>(first)> MOST_NS)
    {
        throw ConfigError(device.source,
                          "has events that lie more than 106 days apart, which is as far as the "
                          "simulated clock runs; their \"ts\" and \"dur\" are microseconds");
    }
}

/// Keeps what the allocator of the rank's accelerator said, by time.
void
AddMemory(const KinetoTrace& device, TraceDocument& document, ConversionNotes& notes)
{
    notes.Count("events of PyTorch's allocator are left out: they have no \"Total Allocated\"",
                device.memoryWithoutTotals);
    if (device.memory.empty())
    {
        return;
    }
    RecordedMemory memory;
    // A rank has one NPU, that of its kernels. Where no kernel names its device, that of the first
    // event of the allocator is taken.
    memory.device = device.device.value_or(device.memory.front().device);
    std::vector<KinetoMemory> events = device.memory;
    std::ranges::stable_sort(events, {}, &KinetoMemory::ns);
    for (const KinetoMemory& event : events)
    {
        if (event.device == memory.device)
        {
            memory.nanos.push_back(event.ns);
            memory.changeBytes.push_back(event.changeBytes);
            memory.allocatedBytes.push_back(event.allocatedBytes);
            memory.reservedBytes.push_back(event.reservedBytes);
        }
    }
    notes.Count("events of PyTorch's allocator are left out: they are of another device than the "
                "kernels",
                events.size() - memory.nanos.size());
    if (!memory.nanos.empty())
    {
        WriteRecordedMemory(memory, document.metadata);
    }
}

} // namespace

TraceDocument
PytorchConverter::Convert(uint32_t rank, const PytorchFiles& files)
{
    const KinetoTrace device = ReadKinetoTrace(files.device);
    if (files.host.empty())
    {
        return Convert(rank, device, nullptr);
    }
    const PytorchHostTrace host = ReadPytorchHostTrace(files.host);
    return Convert(rank, device, &host);
}

TraceDocument
PytorchConverter::Convert(uint32_t rank, const KinetoTrace& device, const PytorchHostTrace* host)
{
    CheckRank(device, rank, m_rankCount);
    CheckSpan(device);
    NoteDevice(device, m_converted, m_notes);
    const PytorchHostLinks links =
        host == nullptr ? PytorchHostLinks(device) : LinkHostTrace(*host, device);
    if (host != nullptr)
    {
        NoteHost(*host, links, m_notes);
    }
    // Each of these needs those before it: calls are told by the operators around a launch, the
    // plan by the calls, and the host's time is cut at launches and waits of the plan.
    const KinetoNesting nesting = NestKinetoEvents(device);
    const PytorchCalls calls(device, nesting, host, links);
    const DevicePlan plan = PlanDeviceWork(device, calls);
    const std::vector<HostSegment> timeline = CutHostTimeline(device, nesting, plan);
    // The recorded job may have had more ranks than are converted.
    const uint32_t worldSize = std::max(m_rankCount, device.worldSize.value_or(0));
    CommunicationWriter communication(JoinGroups(device, host), worldSize, m_groups, m_notes);
    const KernelScopes scopes(device, nesting);
    const Recording recording{device, host, links, plan, timeline, nesting, scopes};
    TraceDocument document;
    document.nodes = RecordingWriter(recording, communication, m_notes).Write();
    AddMetadataText("schema", host == nullptr ? device.schema : host->schema, document);
    if (device.worldSize.value_or(0) > 0)
    {
        WriteRecordedRanks(*device.worldSize, document.metadata);
    }
    AddMemory(device, document, m_notes);
    return document;
}

} // namespace nadi
