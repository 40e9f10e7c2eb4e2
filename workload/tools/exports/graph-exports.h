// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"

#include <string>

namespace nadi
{

/// The dependencies of a trace as GraphML, for Gephi, yEd or networkx: a node for each node of the
/// trace, with its name, type and duration; an edge from each dependency to what depends on it.
std::string FormatGraphMl(const TraceDocument& document);

} // namespace nadi
