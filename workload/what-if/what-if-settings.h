// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/wish.h"

#include <string>
#include <vector>

namespace nadi
{

/// Reads settings such as "layers=96", "dp=16", "speed=attention:2" and "remove=dropout". Throws
/// UsageError for one that is not known, is no number, or stands twice.
WhatIf ParseWhatIf(const std::vector<std::string>& settings);

} // namespace nadi
