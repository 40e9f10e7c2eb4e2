// SPDX-License-Identifier: GPL-2.0-only
#include "workload/custom-collectives/algorithm-text.h"

#include "workload/trace/rank-files.h"
#include "workload/trace/trace-file.h"

#include <algorithm>

namespace nadi
{

std::optional<std::string>
FindAlgorithmText(const std::string& pattern)
{
    const TraceFile trace = ReadTraceFile(FindRankFiles(pattern).front(), DependencyPolicy::Both);
    const auto& nodes = trace.graph.Nodes();
    const bool haveSizes = std::any_of(
        nodes.begin(), nodes.end(), [](const ExecutionNode& node) { return node.size > 0; });
    const std::string& text = trace.facts.metadata.inputXml;
    return haveSizes || text.empty() ? std::nullopt : std::optional(text);
}

} // namespace nadi
