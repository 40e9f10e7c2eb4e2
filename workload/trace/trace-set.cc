// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/trace-set.h"

#include "common/error.h"
#include "workload/trace/graph-collector.h"
#include "workload/trace/group-resolver.h"
#include "workload/trace/message-balance.h"
#include "workload/trace/rank-files.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

std::vector<std::string>
FindFiles(const TraceOptions& options)
{
    return options.files.empty() ? FindRankFiles(options.pattern) : options.files;
}

/// For messages.
const std::string&
WhereOf(const TraceOptions& options)
{
    return options.files.empty() ? options.pattern : options.files.front();
}

uint32_t
CountRanks(const TraceOptions& options, size_t fileCount)
{
    if (options.ranks == 0U)
    {
        throw ConfigError(WhereOf(options), "a job of 0 ranks does nothing; give at least 1");
    }
    if (options.files.empty() && !HasRankPlace(options.pattern))
    {
        return options.ranks.value_or(options.npuCount);
    }
    const uint32_t ranks = options.ranks.value_or(static_cast<uint32_t>(fileCount));
    if (ranks > fileCount)
    {
        throw ConfigError(WhereOf(options),
                          fmt::format("{} ranks are wanted, but there are files for ranks 0..{} "
                                      "only",
                                      ranks,
                                      fileCount - 1));
    }
    return ranks;
}

} // namespace

uint32_t
CountTraceRanks(const TraceOptions& options)
{
    return CountRanks(options, FindFiles(options).size());
}

Workload
ReadTraces(const TraceOptions& options)
{
    const std::vector<std::string> files = FindFiles(options);
    const uint32_t rankCount = CountRanks(options, files.size());
    Workload workload;
    workload.elementSize = options.elementSize;
    GraphCollector collector(workload,
                             {options.dependencies, ThrowProblems(), options.defaultLocation});
    WorkProgress unwatched;
    WorkProgress& progress = options.progress == nullptr ? unwatched : *options.progress;
    progress.Begin(rankCount);
    for (uint32_t rank = 0; rank < rankCount; ++rank)
    {
        collector.AddRank(files.size() == 1 ? files.front() : files[rank]);
        progress.done = rank + 1;
    }
    collector.WriteNotes();
    collector.WriteForeignRanks();
    NoteUnmatchedMessages(workload);
    ProcessGroups groupsFile;
    if (options.groupsFile)
    {
        groupsFile = ReadGroupsFile(*options.groupsFile, rankCount);
    }
    // Last, since a name that nothing defines means all ranks whose traces use it.
    GroupResolver(workload, groupsFile, collector.OwnGroups()).Resolve(workload);
    return workload;
}

} // namespace nadi
