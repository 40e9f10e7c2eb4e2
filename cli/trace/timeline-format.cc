// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/export-files.h"
#include "cli/trace/export-formats.h"
#include "workload/tools/exports/timeline-export.h"
#include "workload/trace/file-contents.h"
#include "workload/trace/trace-file.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace nadi
{

namespace
{

/// The first recorded start of all ranks, at which the timeline begins; 0 where there is none.
int64_t
FindOrigin(const std::vector<std::string>& files)
{
    std::optional<int64_t> first;
    for (const std::string& file : files)
    {
        if (const auto start = FindFirstStart(ReadDocument(file)))
        {
            first = std::min(first.value_or(*start), *start);
        }
    }
    return first.value_or(0);
}

} // namespace

ExportReport
ExportTimeline(const ExportRequest& request)
{
    const std::vector<std::string>& files = request.inputs.files;
    // The origin has to be known before the first event is written, and memory holds one trace at a
    // time. So every file is read twice.
    const int64_t origin = FindOrigin(files);
    ExportReport report{.files = {request.out}, .notes = {}, .hint = "open it in ui.perfetto.dev"};
    WriteExportFile(request.out,
                    [&](std::ostream& out)
                    {
                        TimelineExport timeline(out, origin);
                        for (uint32_t rank = 0; rank < files.size(); ++rank)
                        {
                            const TraceFile trace =
                                ReadTraceFile(files[rank], DependencyPolicy::Auto);
                            timeline.AddRank(rank, ReadDocument(files[rank]), trace.graph);
                        }
                        report.notes = timeline.Notes();
                    });
    return report;
}

} // namespace nadi
