// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/conversion/kineto-trace.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace nadi
{

/// How the events of the host lie within one another.
struct KinetoNesting
{
    static constexpr size_t NONE = SIZE_MAX;

    /// Indices of the host's events, by thread, each before those within it.
    std::map<int64_t, std::vector<size_t>> threads;
    std::vector<size_t> parent; ///< the innermost event around each event; NONE
    /// The end of each event, at most that of the event around it: clocks of whole microseconds let
    /// a call end after the operator that makes it.
    std::vector<int64_t> endNs;
};

KinetoNesting NestKinetoEvents(const KinetoTrace& trace);

} // namespace nadi
