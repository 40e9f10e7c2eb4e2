// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "tests/support/trace-bytes.h"
#include "tests/support/trace-collection.h"
#include "workload/tools/editing/trace-edit.h"
#include "workload/tools/editing/trace-job.h"
#include "workload/trace/trace-file.h"
#include "workload/trace/trace-set.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

/// \file
/// Traces in files, for tests of the tools that make traces of traces.

namespace nadi::test
{

inline TraceNode
SendTo(uint64_t id, int64_t to, int64_t tag = 0)
{
    return TraceNode(id, ChakraProtoMsg::COMM_SEND_NODE, "send")
        .Int("comm_dst", to)
        .Int("comm_tag", tag)
        .Int("comm_size", 64);
}

inline TraceNode
ReceiveFrom(uint64_t id, int64_t from, int64_t tag = 0)
{
    return TraceNode(id, ChakraProtoMsg::COMM_RECV_NODE, "receive")
        .Int("comm_src", from)
        .Int("comm_tag", tag)
        .Int("comm_size", 64);
}

inline TraceNode
NamedNode(uint64_t id, const std::string& name)
{
    return TraceNode(id, ChakraProtoMsg::COMP_NODE, name);
}

/// Writes a trace for each rank; returns the files.
inline std::vector<std::string>
WriteRanks(const ScratchFolder& folder,
           const std::string& name,
           const std::vector<std::vector<TraceNode>>& ranks)
{
    std::vector<std::string> files;
    for (size_t rank = 0; rank < ranks.size(); ++rank)
    {
        const std::string file = name + "." + std::to_string(rank) + ".et";
        folder.Write(file, MakeTrace(ranks[rank]));
        files.push_back(folder.At(file));
    }
    return files;
}

inline TraceJob
MakeTraceJob(const ScratchFolder& folder,
             const std::string& name,
             const std::vector<std::vector<TraceNode>>& ranks)
{
    return ReadTraceJob(WriteRanks(folder, name, ranks), std::nullopt);
}

inline std::vector<TraceDocument>
MakeDocuments(TraceEdit& edit)
{
    std::vector<TraceDocument> documents;
    for (uint32_t rank = 0; rank < edit.RankCount(); ++rank)
    {
        documents.push_back(edit.MakeDocument(rank));
    }
    return documents;
}

/// What a run reads of documents and their groups.
inline Workload
ReadBack(const ScratchFolder& folder,
         const std::vector<TraceDocument>& documents,
         const ProcessGroups& groups)
{
    for (size_t rank = 0; rank < documents.size(); ++rank)
    {
        folder.Write("back." + std::to_string(rank) + ".et", FormatDocument(documents[rank]));
    }
    TraceOptions options;
    options.pattern = folder.At("back.{rank}.et");
    if (!groups.empty())
    {
        folder.Write("back.json", nlohmann::json(groups).dump());
        options.groupsFile = folder.At("back.json");
    }
    return ReadTraces(options);
}

inline Workload
ReadBack(const ScratchFolder& folder, TraceEdit& edit)
{
    const std::vector<TraceDocument> documents = MakeDocuments(edit);
    return ReadBack(folder, documents, edit.Groups());
}

/// The ranks of the group in which a node communicates.
inline std::vector<uint32_t>
RanksOf(const Workload& workload, uint32_t rank, uint32_t index)
{
    const ExecutionNode& node = workload.GraphOf(RankId{rank}).Node(index);
    std::vector<uint32_t> ranks;
    for (const RankId member :
         workload.communicators[workload.communicatorOfGroup[rank][node.group].value].ranks)
    {
        ranks.push_back(member.value);
    }
    return ranks;
}

/// The ids on which a node depends by data.
inline std::vector<uint64_t>
DataOf(const ChakraProtoMsg::Node& node)
{
    return {node.data_deps().begin(), node.data_deps().end()};
}

inline std::vector<uint64_t>
ControlOf(const ChakraProtoMsg::Node& node)
{
    return {node.ctrl_deps().begin(), node.ctrl_deps().end()};
}

/// Traces that other tools wrote, in tests/data.
inline std::string
SampleTrace(const std::string& path)
{
    return std::string(TEST_DATA) + "/traces/" + path;
}

inline std::vector<std::string>
SampleFiles(const std::string& prefix, uint32_t rankCount, const std::string& ending = ".et")
{
    std::vector<std::string> files;
    for (uint32_t rank = 0; rank < rankCount; ++rank)
    {
        files.push_back(prefix + std::to_string(rank) + ending);
    }
    return files;
}

/// A trace both as document and as graph.
struct Exportable
{
    TraceDocument document;
    ExecutionGraph graph;
};

inline Exportable
LoadNodes(const std::vector<TraceNode>& nodes)
{
    const std::string bytes = MakeTrace(nodes);
    return {.document = ParseDocument(bytes, "test.et"),
            .graph = ParseTrace(bytes, "test.et", DependencyPolicy::Auto).graph};
}

inline Exportable
LoadSample(const std::string& path)
{
    return {.document = ReadDocument(path),
            .graph = ReadTraceFile(path, DependencyPolicy::Auto).graph};
}

} // namespace nadi::test
