// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

#include <string>
#include <vector>

namespace nadi
{

/// Whether messages still meet as in the job when nothing tells their tags, as in NCCL: there the
/// n-th send of a pair of ranks meets the n-th receive, in the static topological order of both
/// traces.
///
/// Returns a sentence where some meet others of their size, else nothing. Throws ConfigError at the
/// first receive that would meet a send of another size.
std::vector<std::string> CheckWithoutTags(const Workload& job);

} // namespace nadi
