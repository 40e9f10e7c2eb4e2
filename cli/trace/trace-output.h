// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/trace/process-groups.h"
#include "workload/workload.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace nadi
{

/// Writes a job as Chakra traces that other tools read too: `<name>.<rank>.et` for each rank and
/// `groups.json` ({"1": [0, 1], ...}), which is left out where all collectives are of all ranks.
/// Groups are numbered from 1, in the order of the job's communicators; those of all ranks have no
/// name.
///
/// Throws UsageError, having touched nothing, unless `directory` is absent or empty.
void WriteTraceFiles(const Workload& workload,
                     const std::string& name,
                     const std::filesystem::path& directory);

/// 0, 1, ...
std::vector<uint32_t> AllRanks(uint32_t count);

/// Traces that a tool has made, as the bytes of their files.
struct TraceOutput
{
    std::string name; ///< of the files: <name>.<rank>.et
    std::filesystem::path directory;
    std::vector<uint32_t> ranks; ///< that have a trace, in ascending order
    /// Asked for after the last trace; groups.json is written unless they are empty.
    std::function<ProcessGroups()> makeGroups;
    /// The trace of a rank; asked for in the order of ranks, one at a time, so that no more than
    /// one has to be in memory.
    std::function<std::string(uint32_t rank)> makeTrace;
};

/// Writes them. Throws UsageError as WriteTraceFiles does; nothing is left behind where `makeTrace`
/// throws.
void WriteTraces(const TraceOutput& output);

/// As TraceOutput, of documents.
struct DocumentOutput
{
    std::string name;
    std::filesystem::path directory;
    std::vector<uint32_t> ranks;
    std::function<ProcessGroups()> makeGroups;
    std::function<TraceDocument(uint32_t rank)> makeDocument;
};

/// Writes them as WriteTraces does.
void WriteDocuments(const DocumentOutput& output);

/// The configuration that runs the traces `<directory>/<name>.{rank}.et`, as YAML for pasting.
std::string DescribeRun(const std::string& directory, const std::string& name, bool hasGroups);

} // namespace nadi
