// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace-writer.h"

#include "common/check.h"
#include "common/error.h"
#include "proto/chakra.pb.h"
#include "workload/schema-numbers.h"
#include "workload/trace-frame.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

constexpr int64_t PS_PER_NS = 1000;
constexpr int64_t PS_PER_US = 1'000'000;
constexpr uint32_t LOCAL_TENSOR = 1; // of tensor_loc
constexpr uint32_t REMOTE_TENSOR = 2;
constexpr const char* ALL_RANKS = "0"; // as pg_name
// Delays have threads of their own, one for each node, numbered from here. So they hold up neither
// each other nor what runs on threads of the host.
constexpr uint32_t FIRST_DELAY_THREAD = 1'000'000'000;

// Checks what FormatTrace requires of tags and peers.
int32_t
ToInt32(uint64_t number)
{
    NADI_CHECK(number <= static_cast<uint64_t>(std::numeric_limits<int32_t>::max()));
    return static_cast<int32_t>(number);
}

ChakraProtoMsg::AttributeProto&
AddAttribute(ChakraProtoMsg::Node& message, const char* name)
{
    ChakraProtoMsg::AttributeProto& attribute = *message.add_attr();
    attribute.set_name(name);
    return attribute;
}

void
AddDuration(ChakraProtoMsg::Node& message, const ExecutionNode& node)
{
    NADI_CHECK(node.durationPs % PS_PER_NS == 0);
    // Rounded, for readers that know microseconds only; the exact time follows as an attribute.
    message.set_duration_micros(
        static_cast<uint64_t>((node.durationPs + PS_PER_US / 2) / PS_PER_US));
    if (node.durationPs % PS_PER_US != 0)
    {
        AddAttribute(message, "duration_nanos").set_int64_val(node.durationPs / PS_PER_NS);
    }
}

void
AddWork(ChakraProtoMsg::Node& message, const TraceNames& names, const ExecutionNode& node)
{
    // Zeros are left out, since readers take what is absent for 0.
    if (node.operations != 0)
    {
        AddAttribute(message, "num_ops").set_int64_val(static_cast<int64_t>(node.operations));
    }
    if (node.size != 0)
    {
        AddAttribute(message, "tensor_size").set_uint64_val(node.size);
    }
    if (IsMemory(node.type) && !node.isLocationOpen)
    {
        AddAttribute(message, "tensor_loc")
            .set_uint32_val(node.isRemote ? REMOTE_TENSOR : LOCAL_TENSOR);
    }
    if (node.isOfGroup)
    {
        const std::string& group = names.groups.at(node.group);
        // Group "0" says that all ranks make the access together. Without a name it would be an
        // access of the rank alone.
        AddAttribute(message, "pg_name")
            .set_string_val(group.empty() ? std::string(ALL_RANKS) : group);
    }
}

/// Of 32 bits, as readers of the schema expect it, where it has no more. What the reader takes is
/// written as it was, negative or up to 64 bits.
void
AddTag(ChakraProtoMsg::Node& message, uint64_t tag)
{
    ChakraProtoMsg::AttributeProto& attribute = AddAttribute(message, "comm_tag");
    const auto number = static_cast<int64_t>(tag);
    if (std::in_range<int32_t>(number))
    {
        attribute.set_int32_val(static_cast<int32_t>(number));
    }
    else
    {
        attribute.set_int64_val(number);
    }
}

void
AddMessage(ChakraProtoMsg::Node& message, const TraceNames& names, const ExecutionNode& node)
{
    const char* key = node.type == NodeType::Send ? "comm_dst" : "comm_src";
    const uint32_t peer = names.peers.empty() ? node.peer : names.peers.at(node.peer).value;
    AddAttribute(message, key).set_int32_val(ToInt32(peer));
    AddTag(message, node.tag);
    AddAttribute(message, "comm_size").set_int64_val(static_cast<int64_t>(node.size));
    // A send whose trace does not say its kind is of this one.
    if (node.saysPipeline || node.kind != MessageKind::Pipeline)
    {
        AddAttribute(message, "comm_kind").set_string_val(std::string(ToText(node.kind)));
    }
}

void
AddSplitList(ChakraProtoMsg::Node& message, const char* name, const std::vector<uint64_t>& sizes)
{
    auto& list = *AddAttribute(message, name).mutable_int64_list();
    for (const uint64_t size : sizes)
    {
        list.add_values(static_cast<int64_t>(size));
    }
}

/// In the unit of comm_size, which makes an element one such unit.
void
AddSplits(ChakraProtoMsg::Node& message, const ExchangeSplits& splits)
{
    AddSplitList(message, "in_split_size", splits.sends);
    if (!splits.receives.empty())
    {
        AddSplitList(message, "out_split_size", splits.receives);
    }
}

void
AddCollective(ChakraProtoMsg::Node& message, const TraceNames& names, const ExecutionNode& node)
{
    AddAttribute(message, "comm_type").set_int64_val(ToSchema(node.collective));
    AddAttribute(message, "comm_size").set_int64_val(static_cast<int64_t>(node.size));
    if (const std::string& group = names.groups.at(node.group); !group.empty())
    {
        AddAttribute(message, "pg_name").set_string_val(group);
    }
    // A root is always a rank, even where other peers are indices into `names.peers`.
    if (HasRoot(node.collective) && node.peer != ExecutionNode::NO_ROOT)
    {
        AddAttribute(message, "root").set_int32_val(ToInt32(node.peer));
    }
}

void
AddAttributes(ChakraProtoMsg::Node& message, const TraceNames& names, const ExecutionNode& node)
{
    AddAttribute(message, "is_cpu_op").set_bool_val(node.isCpu);
    AddDuration(message, node);
    if (node.type == NodeType::Send || node.type == NodeType::Receive)
    {
        AddMessage(message, names, node);
    }
    else if (node.type == NodeType::Collective)
    {
        AddCollective(message, names, node);
    }
    else
    {
        AddWork(message, names, node);
    }
    if (node.priority != 0)
    {
        AddAttribute(message, "comm_priority").set_int32_val(node.priority);
    }
    if (node.isCpu && node.stream != 0)
    {
        AddAttribute(message, "tid").set_int64_val(int64_t{node.stream});
    }
    // The graph keeps a stream as its number plus one, since 0 stands for none. The number of a
    // thread is written as it is.
    else if (node.stream != 0)
    {
        AddAttribute(message, "stream").set_int64_val(int64_t{node.stream} - 1);
    }
}

// The ids that each node depends on, ascending, by node index.
std::vector<std::vector<uint64_t>>
FindParents(const ExecutionGraph& graph)
{
    std::vector<std::vector<uint64_t>> parents(graph.NodeCount());
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        for (const uint32_t child : graph.Children(node))
        {
            parents[child].push_back(graph.Node(node).id);
        }
    }
    for (std::vector<uint64_t>& ids : parents)
    {
        std::sort(ids.begin(), ids.end());
    }
    return parents;
}

void
AddWait(ChakraProtoMsg::Node& message, int64_t nanos)
{
    AddAttribute(message, "waited_nanos").set_int64_val(nanos);
}

/// Attributes come before it, as in every trace of the writer.
void
AddTimes(ChakraProtoMsg::Node& message, const NodeTimes& times, uint32_t index, NodeType type)
{
    const int64_t startNanos = times.startNanos[index];
    // A wait or start would say that the node took the duration 0, and a replay would believe it.
    if (startNanos == NodeTimes::NOT_ENDED)
    {
        return;
    }
    if (type == NodeType::Collective || type == NodeType::Send || type == NodeType::Receive)
    {
        AddWait(message, times.waitNanos[index]);
    }
    message.set_start_time_micros(static_cast<uint64_t>(startNanos) / 1000);
    AddAttribute(message, "start_nanos").set_int64_val(startNanos);
}

/// The node as the schema can say it, with the duration of `times`; null: with its own.
ExecutionNode
MakeWrittenNode(const ExecutionGraph& graph, const NodeTimes* times, uint32_t index)
{
    ExecutionNode node = graph.Node(index);
    if (times != nullptr)
    {
        node.durationPs = times->durationNanos[index] * PS_PER_NS;
    }
    if (node.type == NodeType::Delay)
    {
        node.type = NodeType::Compute;
        node.isCpu = true;
        node.stream = FIRST_DELAY_THREAD + index;
    }
    return node;
}

/// `times`: null in a trace that is no recording.
std::string
WriteFrames(const ExecutionGraph& graph, const TraceNames& names, const NodeTimes* times)
{
    // The graph lists the children of a node, but the trace its parents.
    const std::vector<std::vector<uint64_t>> parents = FindParents(graph);
    std::string bytes;
    google::protobuf::io::StringOutputStream sink(&bytes);
    google::protobuf::io::CodedOutputStream stream(&sink);
    ChakraProtoMsg::GlobalMetadata metadata;
    metadata.set_version("1.0.0");
    WriteFrame(stream, metadata);
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode node = MakeWrittenNode(graph, times, index);
        ChakraProtoMsg::Node message;
        message.set_id(node.id);
        message.set_name(std::string(graph.Name(index)));
        message.set_type(ToSchema(node.type));
        message.mutable_data_deps()->Add(parents[index].begin(), parents[index].end());
        AddAttributes(message, names, node);
        if (const std::vector<KernelLaunch>& kernels = graph.KernelsOf(node); !kernels.empty())
        {
            AddAttribute(message, "kernels").set_string_val(ToText(kernels));
        }
        if (const SharedSplits splits = graph.SplitsOf(index))
        {
            AddSplits(message, *splits);
        }
        if (times != nullptr)
        {
            AddTimes(message, *times, index, node.type);
        }
        else if (const std::optional<SimTime> wait = graph.WaitOf(index))
        {
            AddWait(message, wait->Ps() / PS_PER_NS);
        }
        WriteFrame(stream, message);
    }
    // The stream has taken more room of the string than it filled; this gives the rest back.
    stream.Trim();
    return bytes;
}

} // namespace

std::string
FormatTrace(const ExecutionGraph& graph)
{
    return FormatTrace(graph, {graph.GroupNames(), {}});
}

std::string
FormatTrace(const ExecutionGraph& graph, const TraceNames& names)
{
    return WriteFrames(graph, names, nullptr);
}

std::string
FormatRecording(const ExecutionGraph& graph, const TraceNames& names, const NodeTimes& times)
{
    NADI_CHECK(times.startNanos.size() == graph.NodeCount());
    NADI_CHECK(times.durationNanos.size() == graph.NodeCount());
    NADI_CHECK(times.waitNanos.size() == graph.NodeCount());
    return WriteFrames(graph, names, &times);
}

void
WriteTrace(const ExecutionGraph& graph, const std::string& path)
{
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << FormatTrace(graph);
    file.close();
    if (!file)
    {
        throw ConfigError(path, "cannot be written; name a file in a folder that you may write to");
    }
}

} // namespace nadi
