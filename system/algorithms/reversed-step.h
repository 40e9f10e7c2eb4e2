// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"

namespace nadi
{

/// The step with time running backwards: what was received is sent to where it came from.
///
/// Holds: when all ranks run the steps of a plan reversed and in reverse order, every message has
/// its two ends again. So a reduce is a broadcast reversed, an all-gather a reduce-scatter.
inline PlanStep
ReversedStep(const PlanStep& step, PlanStep::Action action)
{
    return {.send = step.receive, .receive = step.send, .action = action};
}

} // namespace nadi
