// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/graph-copy.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// Gives kernels whose sizes an edit changed their new durations: as many times as long as they
/// have operations more, or bytes where they have no operations.
class KernelTimer
{
  public:
    /// The duration in picoseconds, in whole nanoseconds, of a compute node that is now `after` and
    /// was `before`, whose recorded duration counts. 0 where `before` has none: a roofline times it
    /// in the simulation.
    int64_t TimeAnew(const NodeCopy& before, const NodeCopy& after);

    /// What was extrapolated or assumed, a sentence each, for the page of the edit.
    std::vector<std::string> Notes() const;

  private:
    bool m_hasScaled = false;
};

} // namespace nadi
