// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"
#include "tests/support/symbolic-execution.h"

#include <optional>
#include <string>

namespace nadi::symbolic
{

/// The buffers with which a collective begins: every element holds its rank's own token.
Buffers MakeBuffers(const PlanRequest& request, const CollectivePlan& plan);

/// What is wrong with how the plan divides the buffer (or the rows of an all-to-all): the owned
/// ranges of all ranks must cover each element once.
std::optional<std::string> FindBrokenPartition(const PlanRequest& request,
                                               const CollectivePlan& plan);

/// What the collective promises and `execution`, which has run, did not keep.
std::optional<std::string> FindBrokenPromise(const PlanRequest& request,
                                             const CollectivePlan& plan,
                                             const Execution& execution);

/// All of it: executes the plan and holds the result against the promise. The problem, or none.
std::optional<std::string>
FindProblem(const PlanRequest& request, const CollectivePlan& plan, const Schedule& schedule);

} // namespace nadi::symbolic
