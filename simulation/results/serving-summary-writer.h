// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/serving-results.h"

#include <string>

namespace nadi
{

/// `serving` of `summary.json`, as JSON text.
std::string WriteServing(const ServingTotals& serving);

} // namespace nadi
