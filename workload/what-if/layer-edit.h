// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/layer-copier.h"
#include "workload/workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// A job with another number of layers, and what was assumed for it, a sentence each.
struct LayerEdit
{
    Workload job;
    std::vector<std::string> notes;
};

/// The same job with `layers` layers in all. Each stage takes its last ones out, or repeats those
/// that it has in turn, behind them; what is before and after the layers stays. Kernels of the
/// optimizer grow and shrink with the parameters of the rank. `durations` says what new layers
/// take.
///
/// Dependencies keep their pattern: what a task takes from its own layer, from the layer before it
/// in the pass and from the other pass of its layer comes from there again, and what waits for all
/// layers waits for all new ones.
///
/// A graph that ranks share is changed once. Without a change the job is the same.
///
/// Throws ConfigError where no layers were found, with the hint that would help; for a number that
/// the stages do not divide; for more layers where a stage has only one; where layers are not
/// alike, or depend on each other in another way than from one to the next.
/// Requires: `structure` was found in `job`.
LayerEdit ChangeLayers(const Workload& job,
                       const JobStructure& structure,
                       uint32_t layers,
                       LayerDurations durations = LayerDurations::Cycle);

} // namespace nadi
