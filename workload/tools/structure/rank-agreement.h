// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

#include <string>

namespace nadi
{

/// Why the ranks cannot be of one job, a sentence; empty: nothing says so.
///
/// Members of a group must make the same calls on it, in number, type and size. Sizes of
/// all-to-alls may differ. Groups of the same ranks count as one.
std::string FindDisagreement(const Workload& workload);

/// Such a sentence: "The ranks do not fit together: <difference>. ...".
std::string DescribeDoubt(const std::string& difference);

} // namespace nadi
