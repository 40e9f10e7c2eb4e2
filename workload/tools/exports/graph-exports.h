// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/execution-graph.h"

#include <string>
#include <vector>

namespace nadi
{

/// A trace in the format of another program.
struct ExportedText
{
    std::string text;
    std::vector<std::string> notes; ///< what is not shown, a sentence each
};

/// The dependencies of a trace as GraphML, for Gephi, yEd or networkx: a node for each node of the
/// trace, with its name, type and duration; an edge from each dependency to what depends on it.
/// Dependencies on nodes that are not there are left out and counted.
ExportedText FormatGraphMl(const TraceDocument& document);

/// The dependencies that hold, as a drawing for Graphviz.
///
/// Up to 500 nodes are drawn as they are. Of larger traces, nodes of one type that follow each
/// other on one resource become one box with their number and the sum of their durations. Boxes
/// hold as few nodes as leave at most 500 boxes, where dependencies allow that, and have no cycles
/// among them. Of more than 500 boxes the first are drawn. The text and the notes say what was
/// collapsed and what is left out.
ExportedText FormatDot(const ExecutionGraph& graph);

} // namespace nadi
