// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph-builder.h"
#include "workload/trace/misspelt-names.h"
#include "workload/trace/node-record.h"
#include "workload/trace/schema.h"
#include "workload/trace/trace-file.h"

#include <array>
#include <cstdint>
#include <string>

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
/// CPU
///   nodes only.
class GraphAssembler
{
  public:
    GraphAssembler(std::string source, TraceSchema schema);

    /// Throws ConfigError, naming the node, for an attribute that is no number, a GPU collective
    /// of unknown type, a send or receive that names no peer, and for attributes of communication
    /// on a node that would not communicate: of unknown type, or a collective without comm_type.
    void Add(const NodeRecord& record);

    void SetMetadata(TraceMetadata metadata);

    /// The file, read. The assembler is empty afterwards. Throws ConfigError on cycles.
    TraceFile Finish(DependencyPolicy policy);

  private:
    /// What a trace may have that a run gets along with, but the user should know. Each is counted;
    /// its sentence is in TakeNotes.
    enum class Oddity : uint8_t
    {
        HostCommunication,
        MissingSize,
        UnknownType,
        NoType,
        UnreadableGroups,
        Count,
    };

    ExecutionNode MakeNode(const NodeRecord& record);
    void ReadTiming(const NodeRecord& record, ExecutionNode& node) const;
    void ReadQueue(const NodeRecord& record, ExecutionNode& node);
    void ReadWork(const NodeRecord& record, ExecutionNode& node) const;
    void ReadCommunication(const NodeRecord& record, ExecutionNode& node);
    void ReadCollective(const NodeRecord& record, ExecutionNode& node);
    void ReadPeer(const NodeRecord& record, ExecutionNode& node);
    void ReadProcessGroups(const NodeRecord& record);
    void CheckUnknownType(const NodeRecord& record) const;
    void CheckNamelessCollective(const NodeRecord& record) const;
    void NoteOwnRank(const NodeRecord& record, NodeAttribute own);
    void CountOddity(Oddity oddity);
    std::vector<TraceNote> TakeNotes(const DependencyChoice& choice) const;

    std::string m_source;
    TraceSchema m_schema;
    ExecutionGraphBuilder m_builder;
    TraceMetadata m_metadata;
    ProcessGroups m_processGroups;
    std::map<uint32_t, OwnRankClaim> m_ownRanks;
    std::map<int64_t, uint32_t> m_threads; // of the host, numbered from 1 as they come
    MisspeltNames m_misspelt;
    std::array<uint64_t, static_cast<size_t>(Oddity::Count)> m_oddities{};
};

} // namespace nadi
