// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

#include <cstdint>

namespace nadi
{

/// The workload of `ranks` ranks without graphs: the communicator of all ranks is there, and every
/// rank's only group (0) means it.
Workload MakeEmptyWorkload(uint32_t ranks);

/// All ranks execute the one graph, whose only group is that of all ranks.
Workload MakeUniformWorkload(ExecutionGraph graph, uint32_t ranks);

} // namespace nadi
