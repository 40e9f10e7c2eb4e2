// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/graph-assembler.h"

#include "workload/trace/communication-attributes.h"
#include "workload/trace/memory-attributes.h"
#include "workload/trace/node-numbers.h"
#include "workload/trace/split-attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace nadi
{

namespace
{

constexpr uint64_t PS_PER_NANOSECOND = 1000;
constexpr uint64_t PS_PER_MICROSECOND = 1'000'000;
constexpr uint64_t MOST_PS = std::numeric_limits<int64_t>::max();

constexpr const char* DANGLING_DATA =
    "data dependencies point to nodes that are not in the file: ignored";
constexpr const char* DANGLING_CONTROL =
    "control dependencies point to nodes that are not in the file: ignored";

bool
IsCommunication(NodeType type)
{
    return type == NodeType::Send || type == NodeType::Receive || type == NodeType::Collective;
}

bool
IsCpu(const NodeRecord& record)
{
    return ToBool(record.Get(NodeAttribute::IsCpu)).value_or(false);
}

std::vector<KernelLaunch>
ReadKernels(const std::string& source, const NodeRecord& record)
{
    const std::string text = ToText(record.Get(NodeAttribute::Kernels));
    const std::optional<std::vector<KernelLaunch>> kernels = ParseKernels(text);
    if (!kernels)
    {
        ThrowAtNode(source,
                    record,
                    fmt::format("kernels is \"{}\"; write kernels with their sizes, such as \"gemm "
                                "bf16 k=4096 n=1024 m=16\", with \"; \" between them",
                                text));
    }
    return *kernels;
}

MessageKind
ReadKind(const std::string& source, const NodeRecord& record)
{
    const std::string text = ToText(record.Get(NodeAttribute::Kind));
    const std::optional<MessageKind> kind = FindMessageKind(text);
    if (!kind)
    {
        ThrowAtNode(
            source,
            record,
            fmt::format("comm_kind is \"{}\"; it must be pipeline, kv, dispatch, combine or "
                        "memory",
                        text));
    }
    return *kind;
}

} // namespace

GraphAssembler::GraphAssembler(std::string source, TraceSchema schema, const TraceReading& reading)
    : m_source(source)
    , m_schema(schema)
    , m_reading(reading)
    , m_builder(std::move(source))
    , m_oddities(reading.listener)
{
}

// MakeNode leaves in m_splits and m_kernels what the builder keeps beside the node. The builder
// gives these to the node added last, so they are set after it.
void
GraphAssembler::Add(const NodeRecord& record)
{
    m_splits = nullptr;
    m_kernels.clear();
    m_wait.reset();
    m_builder.AddNode(MakeNodeOrTell(record), record.name, record.dataDependencies);
    if (m_splits != nullptr)
    {
        AddSplits(std::move(m_splits));
    }
    if (!m_kernels.empty())
    {
        m_builder.SetKernels(std::move(m_kernels));
    }
    if (m_wait)
    {
        m_builder.SetWait(*m_wait);
    }
    m_builder.AddDependencies(DependencyKind::Control, record.controlDependencies);
    for (const auto& [name, value] : record.others)
    {
        m_oddities.TellName(record, name);
    }
}

/// Layers of a model often repeat what the one before them sent, which they then share.
void
GraphAssembler::AddSplits(SharedSplits splits)
{
    if (m_lastSplits == nullptr || *m_lastSplits != *splits)
    {
        m_lastSplits = std::move(splits);
    }
    m_builder.SetSplits(m_lastSplits);
}

void
GraphAssembler::SetMetadata(TraceMetadata metadata)
{
    m_metadata = std::move(metadata);
}

TraceFile
GraphAssembler::Finish()
{
    TraceFacts facts = FindFacts();
    TellDangling(facts);
    // Before the graph is built, which empties the builder.
    std::vector<TraceNote> notes = TakeNotes(facts);
    return {
        .graph = m_builder.Build(facts.choice.kinds, m_reading.listener),
        .facts = std::move(facts),
        .processGroups = std::move(m_processGroups),
        .ownRanks = std::move(m_ownRanks),
        .notes = std::move(notes),
    };
}

ExecutionNode
GraphAssembler::MakeNodeOrTell(const NodeRecord& record)
{
    try
    {
        return MakeNode(record);
    }
    catch (const NodeError& error)
    {
        m_splits = nullptr;
        m_kernels.clear();
        m_wait.reset();
        m_reading.listener.OnProblem({.where = m_source,
                                      .text = error.Text(),
                                      .message = error.Problem(),
                                      .nodes = {{record.id, std::string(record.name)}}});
    }
    // The listener let the problem pass. The node stays, as one that does nothing, so that what
    // depends on it still finds it.
    return {.id = record.id};
}

ExecutionNode
GraphAssembler::MakeNode(const NodeRecord& record)
{
    CheckContradiction(record);
    ExecutionNode node{.id = record.id};
    node.isCpu = IsCpu(record);
    const std::optional<NodeType> type = FindNodeType(m_schema, record.type);
    // Before the type is replaced below, so that the error names what the file says.
    if (!type || !IsCommunication(*type))
    {
        CheckNoCommunication(record, type);
    }
    // A node whose type is not known still takes its time and has its dependencies, which a replay
    // must keep. It is taken as work of the host, which takes no time of the accelerator.
    if (!type)
    {
        m_oddities.Tell(TraceOddity::UnknownType, record);
        node.isCpu = true;
    }
    if (type == NodeType::Invalid)
    {
        m_oddities.Tell(TraceOddity::NoType, record);
        node.isCpu = true;
    }
    // An invalid type may stay: with isCpu set, the node takes its duration whatever its type.
    node.type = type.value_or(NodeType::Compute);
    if (node.type == NodeType::Metadata)
    {
        ReadProcessGroups(record);
    }
    if (IsCommunication(node.type))
    {
        ReadCommunication(record, node);
    }
    else
    {
        ReadWork(record, node);
    }
    // After ReadCommunication, which may have made the node one of the host: such a node has a
    // thread, and no stream.
    ReadTiming(record, node);
    ReadQueue(record, node);
    return node;
}

/// Of two values none is known to be the right one.
void
GraphAssembler::CheckContradiction(const NodeRecord& record) const
{
    if (!record.contradicted.empty())
    {
        ThrowAtNode(m_source,
                    record,
                    fmt::format("has \"{}\" twice, or under two names, with different values; "
                                "write it once",
                                record.contradicted));
    }
}

/// A node that looks like communication and is none is refused: to leave out communication would
/// make a result wrong without a word. Host operators may say what they launch, and accesses to
/// memory may name the group that makes them together.
void
GraphAssembler::CheckNoCommunication(const NodeRecord& record, std::optional<NodeType> type) const
{
    const bool isMemory = type && IsMemory(*type);
    const NodeAttribute attribute = isMemory ? FindTransferAttribute(record, m_schema)
                                             : FindCommunicationAttribute(record, m_schema);
    if (attribute == NodeAttribute::None || IsCpu(record))
    {
        return;
    }
    const bool isNamed = type && *type != NodeType::Invalid;
    ThrowAtNode(m_source,
                record,
                fmt::format("has {}, but its type {} is none that communicates; write "
                            "COMM_COLL_NODE, COMM_SEND_NODE or COMM_RECV_NODE",
                            ToText(attribute),
                            isNamed ? NodeTypeNames().at(static_cast<size_t>(*type))
                                    : std::to_string(record.type)));
}

/// A collective of the accelerator that says its size or group, but not which one it is, is
/// refused: taken as a call of the host, it would move nothing.
void
GraphAssembler::CheckNamelessCollective(const NodeRecord& record) const
{
    const NodeAttribute attribute = FindSizeOrGroup(record, m_schema);
    if (attribute != NodeAttribute::None)
    {
        ThrowAtNode(m_source,
                    record,
                    fmt::format("a collective with {} but without comm_type; write which one it "
                                "is, or is_cpu_op for a call of the host",
                                ToText(attribute)));
    }
}

/// `what` is "a duration", for the message.
SimTime
GraphAssembler::ReadTime(const NodeRecord& record,
                         NodeAttribute attribute,
                         std::string_view what) const
{
    const auto time = NodeNumbers(m_source, record).Read<uint64_t>(attribute);
    const bool isMicros = attribute == NodeAttribute::DurationMicros;
    const uint64_t unit = isMicros ? PS_PER_MICROSECOND : PS_PER_NANOSECOND;
    // A division, as the product may pass 64 bits.
    if (time > MOST_PS / unit)
    {
        ThrowAtNode(m_source,
                    record,
                    fmt::format("{} of {} {} passes the clock's range of 106 days",
                                what,
                                time,
                                isMicros ? "us" : "ns"));
    }
    return SimTime::FromPs(static_cast<int64_t>(time * unit));
}

void
GraphAssembler::ReadTiming(const NodeRecord& record, ExecutionNode& node)
{
    const bool hasNanos = record.Has(NodeAttribute::DurationNanos);
    node.durationPs =
        ReadTime(record,
                 hasNanos ? NodeAttribute::DurationNanos : NodeAttribute::DurationMicros,
                 "a duration")
            .Ps();
    if (m_schema == TraceSchema::V001 && node.durationPs > 0)
    {
        m_oddities.Tell(TraceOddity::DurationWithoutUnit, record);
    }
    const NodeNumbers numbers(m_source, record);
    node.priority = numbers.Read<int32_t>(NodeAttribute::Priority);
}

/// The queue that the node stands in: its CUDA stream, or its thread of the host. Counted from 1,
/// as 0 means that none is named.
void
GraphAssembler::ReadQueue(const NodeRecord& record, ExecutionNode& node)
{
    const NodeNumbers numbers(m_source, record);
    if (!node.isCpu && record.Has(NodeAttribute::Stream))
    {
        const auto stream = numbers.Read<uint32_t>(NodeAttribute::Stream);
        if (stream == std::numeric_limits<uint32_t>::max())
        {
            ThrowAtNode(m_source,
                        record,
                        fmt::format("stream is {}; it must be a whole number from 0 to {}",
                                    stream,
                                    stream - 1));
        }
        node.stream = stream + 1;
    }
    // Threads have ids of the operating system, which may be large or negative. They are
    // renumbered, since the engine keeps a list of threads by number.
    const std::optional<int64_t> thread = ToInteger(record.Get(NodeAttribute::Thread));
    if (node.isCpu && thread)
    {
        const auto next = static_cast<uint32_t>(m_threads.size() + 1);
        node.stream = m_threads.try_emplace(*thread, next).first->second;
    }
}

void
GraphAssembler::ReadWork(const NodeRecord& record, ExecutionNode& node)
{
    if (IsMemory(node.type))
    {
        return ReadMemoryAccess(record, node);
    }
    const NodeNumbers numbers(m_source, record);
    node.size = numbers.Read<uint64_t>(NodeAttribute::TensorSize);
    node.operations = numbers.Read<uint64_t>(NodeAttribute::Operations);
    if (node.type == NodeType::Compute && record.Has(NodeAttribute::Kernels))
    {
        m_kernels = ReadKernels(m_source, record);
    }
}

/// A group counts where the memory is remote.
void
GraphAssembler::ReadMemoryAccess(const NodeRecord& record, ExecutionNode& node)
{
    ReadMemoryAttributes(m_source, record, m_reading.defaultLocation, node);
    const bool hasDuration =
        record.Has(NodeAttribute::DurationNanos) || record.Has(NodeAttribute::DurationMicros);
    if (IsMemory(node.type) && !node.isCpu && node.size == 0 && hasDuration)
    {
        m_oddities.Tell(TraceOddity::MemoryWithoutSize, record);
    }
    if (node.isRemote && !node.isCpu && Says(record, NodeAttribute::Group, m_schema))
    {
        node.isOfGroup = true;
        node.group = m_builder.AddGroup(ToText(record.Get(NodeAttribute::Group)));
    }
}

void
GraphAssembler::ReadCommunication(const NodeRecord& record, ExecutionNode& node)
{
    // Schema 0.0.1 writes 0 where there is no collective.
    const bool isNameless = node.type == NodeType::Collective &&
                            (!record.Has(NodeAttribute::CollectiveType) ||
                             (m_schema == TraceSchema::V001 &&
                              ToUnsigned(record.Get(NodeAttribute::CollectiveType)) == 0));
    if (node.isCpu || isNameless)
    {
        // The 0 of schema 0.0.1 is no omission, so it passes with a size too.
        if (!node.isCpu && !record.Has(NodeAttribute::CollectiveType))
        {
            CheckNamelessCollective(record);
        }
        m_oddities.Tell(TraceOddity::HostCommunication, record);
        node.type = NodeType::Compute;
        node.isCpu = true;
        return;
    }
    const NodeNumbers numbers(m_source, record);
    // The size of the tensor stands in where a writer leaves the size of the communication out.
    const bool hasSize = record.Has(NodeAttribute::CommunicationSize);
    node.size = numbers.Read<uint64_t>(hasSize ? NodeAttribute::CommunicationSize
                                               : NodeAttribute::TensorSize);
    if (record.Has(NodeAttribute::WaitNanos))
    {
        m_wait = ReadTime(record, NodeAttribute::WaitNanos, "a wait");
    }
    if (node.type == NodeType::Collective)
    {
        ReadCollective(record, node);
    }
    else
    {
        ReadPeer(record, node);
    }
    TellSize(record, node);
}

/// Tells of a size that is missing or 0. The run goes on with 0.
void
GraphAssembler::TellSize(const NodeRecord& record, const ExecutionNode& node)
{
    const bool hasSize =
        record.Has(NodeAttribute::CommunicationSize) || record.Has(NodeAttribute::TensorSize);
    // A barrier moves nothing by its nature.
    const bool isBarrier =
        node.type == NodeType::Collective && node.collective == CollectiveType::Barrier;
    if (isBarrier || node.size > 0)
    {
        return;
    }
    const TraceOddity missing =
        node.type == NodeType::Receive ? TraceOddity::ReceiveWithoutSize : TraceOddity::MissingSize;
    m_oddities.Tell(hasSize ? TraceOddity::EmptySize : missing, record);
}

void
GraphAssembler::ReadCollective(const NodeRecord& record, ExecutionNode& node)
{
    const AttributeValue& written = record.Get(NodeAttribute::CollectiveType);
    const std::optional<CollectiveType> type = FindCollectiveType(m_schema, written);
    if (!type)
    {
        ThrowAtNode(m_source,
                    record,
                    fmt::format("comm_type {} is no collective of schema {}{}",
                                ToText(written),
                                ToText(m_schema),
                                SuggestCollectiveType(m_schema, written)));
    }
    node.collective = *type;
    node.group = m_builder.AddGroup(ToText(record.Get(NodeAttribute::Group)));
    if (node.group == 0 && record.leavesDimensionsOut) // of a named group, the list says nothing
    {
        m_oddities.Tell(TraceOddity::PartialDimensions, record);
    }
    if (*type == CollectiveType::AllToAll)
    {
        m_splits = ReadSplits(m_source, record, node);
    }
    if (HasRoot(*type))
    {
        const NodeNumbers numbers(m_source, record);
        // Rank 0 may be the root, so "no root is named" has a value of its own.
        node.peer = record.Has(NodeAttribute::Root) ? numbers.Read<uint32_t>(NodeAttribute::Root)
                                                    : ExecutionNode::NO_ROOT;
    }
}

void
GraphAssembler::ReadPeer(const NodeRecord& record, ExecutionNode& node)
{
    const NodeNumbers numbers(m_source, record);
    const bool isSend = node.type == NodeType::Send;
    const NodeAttribute peer = isSend ? NodeAttribute::Destination : NodeAttribute::Source;
    if (!record.Has(peer))
    {
        ThrowAtNode(m_source,
                    record,
                    fmt::format("a {} without {}; it must name the other rank",
                                isSend ? "send" : "receive",
                                ToText(peer)));
    }
    node.peer = numbers.Read<uint32_t>(peer);
    NoteOwnRank(record, isSend ? NodeAttribute::Source : NodeAttribute::Destination);
    // A tag only has to be equal on both sides, so that negative ones are as good as others.
    const AttributeValue& tag = record.Get(NodeAttribute::Tag);
    const std::optional<int64_t> small = ToInteger(tag);
    node.tag = small ? static_cast<uint64_t>(*small) : numbers.Read<uint64_t>(NodeAttribute::Tag);
    if (record.Has(NodeAttribute::Kind))
    {
        node.kind = ReadKind(m_source, record);
        node.saysPipeline = isSend && node.kind == MessageKind::Pipeline;
    }
}

/// Writers often name both ranks of a message; the own one follows from the file.
void
GraphAssembler::NoteOwnRank(const NodeRecord& record, NodeAttribute own)
{
    if (record.Has(own))
    {
        const auto rank = NodeNumbers(m_source, record).Read<uint32_t>(own);
        OwnRankClaim& claim =
            m_ownRanks.try_emplace(rank, OwnRankClaim{0, record.id}).first->second;
        ++claim.nodes;
    }
}

void
GraphAssembler::ReadProcessGroups(const NodeRecord& record)
{
    // In a trace of PyTorch, nodes of this name define the groups.
    if (record.name.find("process_group:init") == std::string_view::npos)
    {
        return;
    }
    std::optional<ProcessGroups> groups = ParseProcessGroups(record.inputValues);
    if (!groups)
    {
        m_oddities.Tell(TraceOddity::UnreadableGroups, record);
        return;
    }
    for (auto& [name, ranks] : *groups)
    {
        // A trace may define its groups more than once; the last definition holds.
        m_processGroups.insert_or_assign(name, std::move(ranks));
    }
}

TraceFacts
GraphAssembler::FindFacts() const
{
    return {.schema = m_schema,
            .metadata = m_metadata,
            .dataDependencies = m_builder.DependencyCount(DependencyKind::Data),
            .controlDependencies = m_builder.DependencyCount(DependencyKind::Control),
            .danglingData = m_builder.CountDangling(DependencyKind::Data),
            .danglingControl = m_builder.CountDangling(DependencyKind::Control),
            .choice = ChooseDependencies(m_builder, m_reading.dependencies, m_metadata)};
}

/// Tells of the chosen kinds only: a note says that all dependencies of the other one are ignored.
void
GraphAssembler::TellDangling(const TraceFacts& facts) const
{
    const auto tell = [this](DependencyKind kind, std::string_view text)
    {
        m_builder.VisitDangling(kind,
                                [&](uint32_t node)
                                {
                                    m_reading.listener.OnOddity(Severity::Warning,
                                                                text,
                                                                m_builder.Node(node).id,
                                                                m_builder.NameOf(node));
                                });
    };
    if (facts.danglingData > 0 && facts.choice.kinds != DependencyKinds::Control)
    {
        tell(
            DependencyKind::Data,
            "depends by data on a node that is not in the file, which is ignored; add that node or "
            "remove the dependency");
    }
    if (facts.danglingControl > 0 && facts.choice.kinds != DependencyKinds::Data)
    {
        tell(DependencyKind::Control,
             "depends by control on a node that is not in the file, which is ignored; add that "
             "node or remove the dependency");
    }
}

std::vector<TraceNote>
GraphAssembler::TakeNotes(const TraceFacts& facts) const
{
    const DependencyChoice& choice = facts.choice;
    std::vector<TraceNote> notes;
    if (choice.ignored > 0)
    {
        notes.push_back({choice.ignored, choice.reason});
    }
    if (facts.danglingData > 0 && choice.kinds != DependencyKinds::Control)
    {
        notes.push_back({facts.danglingData, DANGLING_DATA});
    }
    if (facts.danglingControl > 0 && choice.kinds != DependencyKinds::Data)
    {
        notes.push_back({facts.danglingControl, DANGLING_CONTROL});
    }
    m_oddities.AppendNotes(notes);
    return notes;
}

} // namespace nadi
