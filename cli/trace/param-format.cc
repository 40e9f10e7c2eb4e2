// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/export-files.h"
#include "cli/trace/export-formats.h"
#include "workload/tools/editing/trace-job.h"
#include "workload/tools/exports/param-export.h"
#include "workload/tools/exports/untagged-messages.h"

namespace nadi
{

// The job tells who is in which group and who meets whom. Documents are read again, one by one,
// for what its graphs leave out.
ExportReport
ExportParam(const ExportRequest& request)
{
    const TraceJob job = ReadTraceJob(request.inputs.files, request.groupsFile);
    const UnevenExchanges exchanges(job.workload);
    ExportReport report;
    report.notes = CheckWithoutTags(job.workload);
    report.files = WriteRankFiles(request,
                                  "json",
                                  [&job, &exchanges](uint32_t rank)
                                  {
                                      const TraceDocument document = job.ReadRank(rank);
                                      return FormatParamTrace(exchanges, RankId{rank}, &document);
                                  });
    return report;
}

} // namespace nadi
