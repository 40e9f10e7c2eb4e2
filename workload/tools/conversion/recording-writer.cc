// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/recording-writer.h"

#include "workload/document/node-attributes.h"
#include "workload/tools/conversion/host-node-writer.h"
#include "workload/tools/conversion/operator-kernel.h"

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

using ChakraProtoMsg::AttributeProto;
using ChakraProtoMsg::Node;

constexpr const char* IDLE_NAME = "(no operator)";

AttributeProto&
AddNamed(const char* name, Node& node)
{
    AttributeProto& attribute = *node.add_attr();
    attribute.set_name(name);
    return attribute;
}

/// Adds each id once. A node waits for few others, so searching the list is fast.
void
AddDataDependency(uint64_t id, Node& node)
{
    const auto& known = node.data_deps();
    if (std::find(known.begin(), known.end(), id) == known.end())
    {
        node.add_data_deps(id);
    }
}

} // namespace

RecordingWriter::RecordingWriter(const Recording& recording,
                                 CommunicationWriter& communication,
                                 ConversionNotes& notes)
    : m_recording(recording)
    , m_communication(communication)
    , m_notes(notes)
{
}

/// Ids are given before any node is written, as nodes name by id what they depend on.
std::vector<Node>
RecordingWriter::Write()
{
    std::vector<Item> items = OrderItems();
    AssignIds(items);
    FindLaunchingSegments();
    std::vector<Node> nodes;
    nodes.reserve(items.size());
    for (const Item& item : items)
    {
        for (size_t part = 0; part < item.nodeCount; ++part)
        {
            Node& node = nodes.emplace_back();
            node.set_id(item.firstId + part);
            node.set_type(ChakraProtoMsg::COMP_NODE);
            if (item.isDevice)
            {
                WriteWork(m_recording.plan.works[item.index], part, node);
            }
            else
            {
                WriteSegment(item.index, node);
            }
        }
    }
    return nodes;
}

std::vector<RecordingWriter::Item>
RecordingWriter::OrderItems() const
{
    std::vector<Item> items;
    for (size_t index = 0; index < m_recording.timeline.size(); ++index)
    {
        items.push_back({.ns = m_recording.timeline[index].startNs, .index = index});
    }
    for (size_t index = 0; index < m_recording.plan.works.size(); ++index)
    {
        const DeviceWork& work = m_recording.plan.works[index];
        items.push_back({.ns = work.launchedNs,
                         .isDevice = true,
                         .index = index,
                         .nodeCount = CountNodes(work)});
    }
    // The call that launches a work begins at the work's `launchedNs`. The segment stands first and
    // gets the smaller id, as FindProgramOrder takes ids for the order of the program only where no
    // node waits for a larger id.
    std::stable_sort(
        items.begin(),
        items.end(),
        [](const Item& left, const Item& right)
        { return std::pair(left.ns, left.isDevice) < std::pair(right.ns, right.isDevice); });
    return items;
}

/// A work is a node for each send and receive that it carries, any other work is one node.
uint64_t
RecordingWriter::CountNodes(const DeviceWork& work) const
{
    return std::max<uint64_t>(1, work.calls.size());
}

void
RecordingWriter::AssignIds(std::vector<Item>& items)
{
    m_idOfSegment.resize(m_recording.timeline.size());
    m_idsOfWork.resize(m_recording.plan.works.size());
    uint64_t next = 1;
    for (Item& item : items)
    {
        item.firstId = next;
        next += item.nodeCount;
        if (item.isDevice)
        {
            m_idsOfWork[item.index] = {item.firstId, item.nodeCount};
        }
        else
        {
            m_idOfSegment[item.index] = item.firstId;
        }
    }
}

/// Notes for each call that launched work the segment of the host on which the work depends.
void
RecordingWriter::FindLaunchingSegments()
{
    for (size_t index = 0; index < m_recording.timeline.size(); ++index)
    {
        const HostSegment& segment = m_recording.timeline[index];
        // A work is launched in the first segment of its call. Later ones only wait.
        if (segment.event != HostSegment::NONE && segment.first == HostSegment::NONE &&
            m_recording.plan.worksOfCall.contains(segment.event))
        {
            m_launchingSegment.emplace(segment.event, index);
        }
    }
}

/// A segment waits for the one before it on its thread, and for the one of another thread from
/// which it was handed over. Starts below 0 become 0, as a trace cannot hold them.
void
RecordingWriter::WriteSegment(size_t index, Node& node) const
{
    const HostSegment& segment = m_recording.timeline[index];
    SetBool(node, NodeAttribute::IsCpu, true);
    AddNamed("tid", node).set_int64_val(segment.thread);
    SetStartNanos(node, std::max<int64_t>(0, segment.startNs));
    SetDurationNanos(node, segment.endNs - segment.startNs);
    for (const size_t before : {segment.previous, segment.handedFrom})
    {
        if (before != HostSegment::NONE)
        {
            AddDataDependency(m_idOfSegment[before], node);
        }
    }
    if (segment.event == HostSegment::NONE)
    {
        node.set_name(IDLE_NAME);
        return;
    }
    WriteOperator(segment, node);
    WriteWaits(segment, node);
}

/// What the host trace tells of an operator stands at its first segment. The others name that one.
void
RecordingWriter::WriteOperator(const HostSegment& segment, Node& node) const
{
    node.set_name(m_recording.device.events[segment.event].name);
    if (segment.first != HostSegment::NONE)
    {
        AddNamed("continues", node)
            .set_int64_val(static_cast<int64_t>(m_idOfSegment[segment.first]));
        return;
    }
    const size_t linked = m_recording.links.nodeOfEvent[segment.event];
    if (linked != PytorchHostLinks::NONE)
    {
        const PytorchHostNode& host = m_recording.host->nodes[linked];
        WriteHostNode(host, node);
    }
}

/// A call that blocks only works after what it waited for has ended.
void
RecordingWriter::WriteWaits(const HostSegment& segment, Node& node) const
{
    const auto awaited = m_recording.plan.awaitedByCall.find(segment.event);
    const bool isLaunch = m_recording.plan.worksOfCall.contains(segment.event);
    // A call that waits for its own copy has two segments. If the first one, which launches the
    // copy, waited for it, that would be a circle.
    if (awaited == m_recording.plan.awaitedByCall.end() || isLaunch != segment.isReturn)
    {
        return;
    }
    // The recorded time until the awaited work ended is left out: in a run the dependency makes the
    // node wait, for as long as it takes there.
    int64_t endNs = segment.startNs;
    for (const size_t work : awaited->second)
    {
        endNs =
            std::max(endNs, m_recording.device.events[m_recording.plan.works[work].event].endNs);
        DependOnWork(work, node);
    }
    endNs = std::min(endNs, segment.endNs);
    SetStartNanos(node, std::max<int64_t>(0, endNs));
    SetDurationNanos(node, segment.endNs - endNs);
}

/// `part`: which of the calls that the work carries becomes this node. All parts have the times and
/// the dependencies of the work.
void
RecordingWriter::WriteWork(const DeviceWork& work, size_t part, Node& node)
{
    const KinetoEvent& event = m_recording.device.events[work.event];
    node.set_name(event.name);
    SetBool(node, NodeAttribute::IsCpu, false);
    SetNumber(node, NodeAttribute::Stream, event.stream);
    SetStartNanos(node, std::max<int64_t>(0, event.startNs));
    SetDurationNanos(node, event.endNs - event.startNs);
    WriteWorkDependencies(work, node);
    WriteScopes(work, node);
    if (part < work.calls.size())
    {
        m_communication.Write(work.calls[part], node);
    }
    else if (work.isFurther)
    {
        m_notes.Count(
            "communication kernels are not the first one of their call: they stay compute "
            "of their recorded durations, as the first one carries the whole size");
    }
    else if (work.isCommunication)
    {
        m_communication.CountUnknown();
    }
    else
    {
        WriteKernel(work, node);
    }
}

/// Shapes stand in the host trace alone, and the launch tells which operator's shapes they are.
void
RecordingWriter::WriteKernel(const DeviceWork& work, Node& node) const
{
    if (m_recording.host == nullptr || work.launch == DeviceWork::NONE)
    {
        return;
    }
    // Operators that Kineto times and the host trace lacks tell nothing; what is around them may.
    size_t around = m_recording.nesting.parent[work.launch];
    while (around != KinetoNesting::NONE &&
           m_recording.links.nodeOfEvent[around] == PytorchHostLinks::NONE)
    {
        around = m_recording.nesting.parent[around];
    }
    if (around != KinetoNesting::NONE)
    {
        const PytorchHostNode& launcher =
            m_recording.host->nodes[m_recording.links.nodeOfEvent[around]];
        if (const auto kernel = TellKernel(launcher, node.name()))
        {
            AddNamed("kernels", node).set_string_val(ToText(*kernel));
        }
    }
}

void
RecordingWriter::WriteScopes(const DeviceWork& work, Node& node) const
{
    if (work.launch == DeviceWork::NONE)
    {
        return;
    }
    const std::vector<std::string> scopes = m_recording.scopes.Of(work.launch);
    if (!scopes.empty())
    {
        AddScopes(node, scopes);
    }
}

void
RecordingWriter::WriteWorkDependencies(const DeviceWork& work, Node& node) const
{
    const auto launch = m_launchingSegment.find(work.launch);
    if (launch == m_launchingSegment.end())
    {
        m_notes.Count(
            "kernels and copies have no launching call in the recording: they follow what "
            "is before them on their stream");
    }
    else
    {
        AddDataDependency(m_idOfSegment[launch->second], node);
    }
    for (const size_t awaited : work.awaited)
    {
        DependOnWork(awaited, node);
    }
}

void
RecordingWriter::DependOnWork(size_t work, Node& node) const
{
    const auto [first, count] = m_idsOfWork[work];
    // A work that carries several messages is several nodes, and has ended when all of them have.
    for (uint64_t id = first; id < first + count; ++id)
    {
        AddDataDependency(id, node);
    }
}

} // namespace nadi
