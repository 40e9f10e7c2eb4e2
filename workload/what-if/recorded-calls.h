// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

namespace nadi
{

/// Takes their recorded durations from the collectives and messages of an edited job that the
/// recorded one has nothing alike of: no call of this type and size among as many ranks. How long
/// they take is for a simulation to say.
void ForgetOtherCalls(const Workload& recorded, Workload& edited);

} // namespace nadi
