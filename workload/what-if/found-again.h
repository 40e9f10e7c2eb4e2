// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/what-if.h"
#include "workload/workload.h"

/// \file
/// What is found in a job after a part of its edits: as before in all that they left.

namespace nadi
{

/// Of a job that was changed already, in all that was found but the number of stages.
JobStructure FindAgain(const Workload& job, const JobStructure& found, const WhatIf& wish);

/// Once its shapes are other ones: in all but the degrees that changed.
JobStructure FindOfShapes(const Workload& job, const JobStructure& found, const WhatIf& wish);

/// Once it has other copies.
JobStructure FindOfCopies(const Workload& job, const JobStructure& found, const WhatIf& wish);

} // namespace nadi
