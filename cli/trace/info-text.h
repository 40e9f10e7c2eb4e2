// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/terminal/style.h"
#include "workload/tools/inspection/trace-info.h"

#include <string>

namespace nadi
{

/// What traces hold, as tables for people. Ranks past the first few are left out, which a line
/// says.
std::string DescribeInfo(const JobInfo& info, const Style& style);

} // namespace nadi
