// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/timeline/serving-timeline.h"
#include "workload/timeline/perfetto-writer.h"

#include <cstddef>

namespace nadi
{

/// A process for each instance, with its passes; and one that has a track for each request, with
/// its queueing, prefill, transfer and decode. `processes`: how many there are before.
void WriteServingTracks(const ServingTimeline& timeline, size_t processes, PerfettoWriter& writer);

} // namespace nadi
