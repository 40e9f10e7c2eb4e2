// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/wait-report.h"

#include <string>

namespace nadi
{

/// `waits.json`: who waits for whom in a job that cannot finish.
std::string WriteWaits(const WaitReport& report);

} // namespace nadi
