// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "workload/models/pipeline-schedule.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/kernel-times/accelerator-wish.h"
#include "workload/what-if/layer-copier.h"
#include "workload/what-if/shapes/shape-wish.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace nadi
{

/// What is to be other than recorded; nothing: it stays.
struct WhatIf
{
    ShapeWish shapes;                        ///< sizes of the model, and how ranks share its layers
    std::optional<uint32_t> layers;          ///< of the whole model
    std::optional<LayerDurations> durations; ///< of new layers; nothing: Cycle
    std::optional<uint32_t> stages;          ///< of the pipeline (pp)
    std::optional<uint32_t> copies;          ///< data-parallel ones (dp)
    /// Of gradients that are summed together; nothing: as recorded.
    std::optional<Bytes> bucket;
    std::optional<uint32_t> microBatches; ///< of a copy in an iteration
    std::optional<PipelineSchedule> schedule;
    std::optional<uint32_t> chunks;       ///< of layers on each stage, if interleaved
    std::map<std::string, double> speeds; ///< of kernels whose names fit (ChangeSpeed)
    std::optional<std::string> removed;   ///< kernels whose names fit (RemoveKernels)
    std::set<std::string> fused;          ///< neighbours whose names fit (FuseNeighbours)
    std::optional<AcceleratorWish> gpu;   ///< of other rates (ChangeAccelerator)
    /// No edit: the file of KernelTimes; absolute.
    std::optional<std::string> kernels;
    /// A hint: StructureHints::layerPattern.
    std::optional<std::string> layerPattern;
    /// A hint: StructureHints::degrees.
    std::optional<FoundDegrees> degrees;
};

} // namespace nadi
