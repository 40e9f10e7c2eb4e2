// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/trace/process-groups.h"

#include <set>
#include <string>

namespace nadi
{

/// The groups that collectives and memory nodes of a trace name, and that neither a groups file nor
/// the trace itself (`process_group:init`) defines. Names that mean all ranks need no definition.
std::set<std::string> FindUndefinedGroups(const TraceDocument& document,
                                          const ProcessGroups& groupsFile);

} // namespace nadi
