// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/terminal/style.h"
#include "workload/tools/structure/job-structure.h"

#include <string>

namespace nadi
{

/// The structure of a job for people: degrees, layers, groups, and what does not fit.
std::string DescribeStructure(const JobStructure& structure, const Style& style);

} // namespace nadi
