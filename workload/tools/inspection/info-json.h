// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/inspection/trace-info.h"

#include <string>
#include <string_view>

namespace nadi
{

/// "all ranks", "groups file", "trace", "users": who says which ranks a group has.
std::string_view ToText(GroupInfo::Origin origin);

/// The info as JSON: `nodes`, `types`, `dependencies`, `communication`, `compute`, `critical_path`
/// and `notes` over all ranks, `groups`, and `ranks` with the same members for each rank. Durations
/// are in nanoseconds, sizes as in the trace.
std::string FormatInfoJson(const JobInfo& info);

} // namespace nadi
