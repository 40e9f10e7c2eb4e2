// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/export-files.h"
#include "cli/trace/export-formats.h"
#include "workload/document/json-document.h"
#include "workload/tools/exports/graph-exports.h"
#include "workload/trace/trace-file.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

namespace nadi
{

namespace
{

/// Writes a text for each rank; the notes of a rank say which one it is where there are several.
ExportReport
ExportTexts(const ExportRequest& request,
            const std::string& extension,
            const std::function<ExportedText(const std::string& file)>& format)
{
    ExportReport report;
    // Ranks are read and written one after the other, so memory holds one rank.
    report.files = WriteRankFiles(request,
                                  extension,
                                  [&](uint32_t rank)
                                  {
                                      const std::string& file = request.inputs.files[rank];
                                      ExportedText exported = format(file);
                                      for (const std::string& note : exported.notes)
                                      {
                                          report.notes.push_back(request.inputs.files.size() == 1
                                                                     ? note
                                                                     : file + ": " + note);
                                      }
                                      return std::move(exported.text);
                                  });
    return report;
}

} // namespace

// A drawing shows the dependencies that a run obeys, so it is made from the graph. The other
// formats keep all that a trace holds, so they are made from the document.
ExportReport
ExportDot(const ExportRequest& request)
{
    ExportReport report =
        ExportTexts(request,
                    "dot",
                    [](const std::string& file)
                    { return FormatDot(ReadTraceFile(file, DependencyPolicy::Auto).graph); });
    report.hint = fmt::format("try: dot -Tsvg {}", report.files.front());
    return report;
}

ExportReport
ExportGraphMl(const ExportRequest& request)
{
    return ExportTexts(request,
                       "graphml",
                       [](const std::string& file) { return FormatGraphMl(ReadDocument(file)); });
}

ExportReport
ExportJson(const ExportRequest& request)
{
    return ExportTexts(
        request,
        "json",
        [](const std::string& file)
        { return ExportedText{.text = FormatJsonDocument(ReadDocument(file)), .notes = {}}; });
}

} // namespace nadi
