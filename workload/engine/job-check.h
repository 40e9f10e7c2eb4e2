// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

namespace nadi
{

/// Throws ConfigError, naming trace and node, when the workload asks for what no job can do: a
/// send to or a receive from a rank that does not exist, a collective on a group that the calling
/// rank is no member of, a size past 63 bits of bytes.
void CheckJob(const Workload& workload);

} // namespace nadi
