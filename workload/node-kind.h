// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"

#include <string_view>

namespace nadi
{

/// What a node does, for people: "compute", "memory load", "send", or the collective that it calls
/// ("all-reduce").
std::string_view KindOf(const ExecutionNode& node);

} // namespace nadi
