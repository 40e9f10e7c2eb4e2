// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/field.h"
#include "workload/serving/expert-routing.h"

namespace nadi
{

/// `workload.serve.experts`: which experts tokens go to.
Field MakeExpertsField(ExpertRoutingOptions& experts);

} // namespace nadi
