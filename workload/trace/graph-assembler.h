// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph-builder.h"
#include "workload/trace/node-record.h"
#include "workload/trace/schema.h"
#include "workload/trace/trace-file.h"
#include "workload/trace/trace-oddities.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nadi
{

/// Gives the nodes of a trace their meaning and makes the graph of them; the same for every form
/// of trace.
///
/// * Communication on the CPU, and communication without the attributes that say what it is
///   (collectives without comm_type), is a record of a host call: a CPU operation that takes its
///   duration. So are nodes of unknown or storage types, and nodes without a type.
/// * A name of an attribute that is nearly one that means something is counted in a note.
/// * A missing comm_size is the tensor_size, else 0.
/// * Streams are those of GPU nodes only, since writers put 0 on CPU nodes; threads are those of
///   CPU nodes only.
class GraphAssembler
{
  public:
    /// The listener of `reading` outlives this.
    GraphAssembler(std::string source, TraceSchema schema, const TraceReading& reading);

    /// Tells the listener of a node that cannot be run: for an attribute that is no number, a GPU
    /// collective of unknown type, a send or receive that names no peer, and for attributes of
    /// communication on a node of the accelerator that would not communicate: of another type, or a
    /// collective without comm_type. The group of a memory node is none of these.
    void Add(const NodeRecord& record);

    void SetMetadata(TraceMetadata metadata);

    /// The file, read. The assembler is empty afterwards. Tells the listener of dangling
    /// dependencies, of ids that two nodes have and of a cycle.
    TraceFile Finish();

  private:
    ExecutionNode MakeNodeOrTell(const NodeRecord& record);
    ExecutionNode MakeNode(const NodeRecord& record);
    void ReadTiming(const NodeRecord& record, ExecutionNode& node);
    void ReadQueue(const NodeRecord& record, ExecutionNode& node);
    void ReadWork(const NodeRecord& record, ExecutionNode& node);
    void ReadMemoryAccess(const NodeRecord& record, ExecutionNode& node);
    void ReadCommunication(const NodeRecord& record, ExecutionNode& node);
    void TellSize(const NodeRecord& record, const ExecutionNode& node);
    void AddSplits(SharedSplits splits);
    void ReadCollective(const NodeRecord& record, ExecutionNode& node);
    void ReadPeer(const NodeRecord& record, ExecutionNode& node);
    void ReadProcessGroups(const NodeRecord& record);
    void CheckContradiction(const NodeRecord& record) const;
    void CheckNoCommunication(const NodeRecord& record, std::optional<NodeType> type) const;
    void CheckNamelessCollective(const NodeRecord& record) const;
    SimTime
    ReadTime(const NodeRecord& record, NodeAttribute attribute, std::string_view what) const;
    void NoteOwnRank(const NodeRecord& record, NodeAttribute own);
    TraceFacts FindFacts() const;
    void TellDangling(const TraceFacts& facts) const;
    std::vector<TraceNote> TakeNotes(const TraceFacts& facts) const;

    std::string m_source;
    TraceSchema m_schema;
    TraceReading m_reading;
    ExecutionGraphBuilder m_builder;
    TraceMetadata m_metadata;
    ProcessGroups m_processGroups;
    std::map<uint32_t, OwnRankClaim> m_ownRanks;
    std::map<int64_t, uint32_t> m_threads; // of the host, numbered from 1 as they come
    SharedSplits m_splits;                 // of the node that is read
    SharedSplits m_lastSplits;             // of those that have some
    std::vector<KernelLaunch> m_kernels;   // of the node that is read
    std::optional<SimTime> m_wait;         // of the node that is read
    TraceOddities m_oddities;
};

} // namespace nadi
