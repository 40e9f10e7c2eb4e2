// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-engine.h"
#include "system/execution/collective-run.h"
#include "system/execution/phase-executor.h"
#include "system/execution/rendezvous.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// A collective that not all members have called, or that waits for slots.
PendingCollective MakePendingReport(CollectiveId id, const Meeting& meeting, uint32_t elementBytes);

/// Adds to the report of a started collective how far each member came. `waits` is
/// PhaseExecutor::FindWaits().
void AddProgress(PendingCollective& report,
                 const CollectiveRun& run,
                 const std::vector<PhaseExecutor::Wait>& waits);

} // namespace nadi
