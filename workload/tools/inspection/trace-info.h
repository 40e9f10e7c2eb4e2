// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace/trace-file.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// Nodes that do one kind of work, and their recorded durations together.
struct WorkTotal
{
    uint64_t nodes = 0;
    uint64_t nanos = 0;
};

/// Calls of one kind.
struct VolumeTotal
{
    uint64_t calls = 0;
    uint64_t size = 0;          ///< of the calls together, in bytes or elements as in the trace
    uint64_t recordedNanos = 0; ///< their recorded durations, waiting for peers included
};

/// Which communication a VolumeTotal is of.
struct VolumeKey
{
    std::string group; ///< as the trace names it; "" is all ranks, and sends and receives
    std::string type;  ///< "all-reduce", "send"

    auto operator<=>(const VolumeKey&) const = default;
};

struct DependencyTotal
{
    uint64_t data = 0;    ///< as in the file, dangling and repeated ones too
    uint64_t control = 0; ///< likewise
    uint64_t danglingData = 0;
    uint64_t danglingControl = 0;
    uint64_t ignored =
        0; ///< of those, the ones that a run does not obey by its choice (not dangling)
};

/// The longest way through a trace when communication takes no time; see FindCriticalPath.
struct PathTotal
{
    uint64_t nanos = 0;
    uint64_t nodes = 0;
    uint64_t cpuNanos = 0; ///< the part of it on the CPU
};

/// What one or more traces hold.
struct TraceTotals
{
    uint64_t nodes = 0;
    std::map<std::string, uint64_t> types; ///< nodes by what they do; collectives by their type
    DependencyTotal dependencies;
    std::map<VolumeKey, VolumeTotal> communication;
    std::map<std::optional<uint32_t>, WorkTotal> streams; ///< kernels by CUDA stream, if named
    uint64_t unrecordedKernels = 0;                       ///< have num_ops in place of a duration
    WorkTotal cpu;
    WorkTotal memory;
    PathTotal criticalPath; ///< of several ranks the longest
    std::vector<TraceNote> notes;
};

/// One rank's trace.
struct RankInfo
{
    std::string file;
    std::string schema;         ///< "0.0.4", as the bytes of the file show it
    std::string recordedSchema; ///< as the metadata says it of the recording; may be ""
    TraceTotals totals;
};

/// A group of ranks that traces name.
struct GroupInfo
{
    enum class Origin : uint8_t
    {
        AllRanks,
        File,  ///< the groups file lists its ranks
        Trace, ///< process_group:init of the trace does
        Users, ///< nothing does: taken as the ranks whose traces use the name
    };

    std::string name;
    std::vector<uint32_t> ranks;
    Origin origin = Origin::AllRanks;
    VolumeTotal volume; ///< of collectives, over all ranks
};

/// What the traces of a job hold.
struct JobInfo
{
    std::vector<RankInfo> ranks;
    TraceTotals total; ///< over all ranks
    std::vector<GroupInfo> groups;
};

/// Looks at the traces `files`, by rank. They are read one after the other, and none is kept.
/// `groupsFile` may be absent. Throws ConfigError for files that a run would refuse.
JobInfo InspectTraces(const std::vector<std::string>& files,
                      const std::optional<std::string>& groupsFile);

} // namespace nadi
