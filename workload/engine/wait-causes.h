// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/engine/stuck-job.h"

#include <string>
#include <vector>

namespace nadi
{

/// What is wrong with a stuck job, a sentence each; empty when its traces show nothing:
/// * ranks that never call a collective in which others wait,
/// * receives for which no send exists, with the tags that its source sends in vain,
/// * pairs of collectives that two ranks call in opposite order.
///
/// Found from the traces, not from what happened so far: a send or call that would still come is
/// no cause.
std::vector<std::string> FindWaitCauses(const StuckJob& job);

} // namespace nadi
