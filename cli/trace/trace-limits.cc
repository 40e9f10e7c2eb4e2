// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/trace-limits.h"

#include "common/error.h"

#include <fmt/format.h>

namespace nadi
{

void
CheckWrittenRanks(uint64_t ranks)
{
    if (ranks > MOST_WRITTEN_TRACES)
    {
        throw ConfigError("what-if",
                          fmt::format("{} ranks would have a trace file each, and at most {} are "
                                      "written; with workload.what-if in a configuration they need "
                                      "no files",
                                      ranks,
                                      MOST_WRITTEN_TRACES));
    }
}

void
CheckWrittenTasks(const Workload& job)
{
    uint64_t tasks = 0;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        // Ranks may share a graph in memory, but each gets a file of its own.
        tasks += job.GraphOf(RankId{rank}).NodeCount();
    }
    if (tasks > MOST_WRITTEN_TASKS)
    {
        throw ConfigError("what-if",
                          fmt::format("the traces of {} ranks would have {} tasks together, and at "
                                      "most {} are written; with workload.what-if in a "
                                      "configuration they need no files",
                                      job.RankCount(),
                                      tasks,
                                      MOST_WRITTEN_TASKS));
    }
}

} // namespace nadi
