// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/registry.h"
#include "common/units.h"
#include "system/collective-schedule.h"

namespace nadi
{

/// A phase that waits to enter its dimension.
struct WaitingPhase
{
    PhaseReference phase;
    Bytes held;      ///< what an NPU holds of the chunk at entry, nominally
    SimTime arrival; ///< when the chunk's phase before it ended, in the planner's run
};

/// Chooses which waiting phase enters a dimension next; `system.intra-dimension`.
///
/// To add one: copy `fifo.cc`, edit, register, add it to CMakeLists.txt here.
class IntraDimensionPolicy
{
  public:
    virtual ~IntraDimensionPolicy() = default;

    /// Whether `a` enters before `b`: a strict weak order. Where neither precedes the other, the
    /// planner takes the lower (chunk, phase).
    virtual bool Precedes(const WaitingPhase& a, const WaitingPhase& b) const = 0;
};

} // namespace nadi
