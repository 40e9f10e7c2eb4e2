// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/trace/trace-inputs.h"

#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What `nadi trace export` was given.
struct ExportRequest
{
    TraceInputs inputs;
    std::optional<std::string> groupsFile;
    std::string out; ///< a file, or a directory
};

/// What an export wrote, for the last lines of the command.
struct ExportReport
{
    std::vector<std::string> files;
    std::vector<std::string> notes; ///< what is not shown, a sentence each
    std::string hint;               ///< what to do with the files, or empty
};

/// Each writes the traces in one format. Throws UsageError for files that it cannot write, and
/// ConfigError for traces that it cannot read.
ExportReport ExportDot(const ExportRequest& request);
ExportReport ExportGraphMl(const ExportRequest& request);
ExportReport ExportJson(const ExportRequest& request);
ExportReport ExportParam(const ExportRequest& request);
ExportReport ExportTimeline(const ExportRequest& request);

} // namespace nadi
