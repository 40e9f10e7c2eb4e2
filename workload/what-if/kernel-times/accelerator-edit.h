// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/kernel-times/accelerator-wish.h"
#include "workload/what-if/kernel-times/kernel-timer.h"
#include "workload/workload.h"

#include <string>
#include <vector>

namespace nadi
{

/// A job on another accelerator, and what that rests on, a sentence each.
struct AcceleratorEdit
{
    Workload job;
    std::vector<std::string> notes;
};

/// The job on an accelerator of other rates. The model of a kernel's kind says what bounds it:
/// arithmetic or memory. Its recorded duration becomes duration x model(new rates) / model(recorded
/// rates), the efficiencies and launches of the models being the same. Kernels without operations
/// and bytes, and those that no model covers (KernelTimer::FindCoveredWork), keep their time, and
/// notes say how much that is.
///
/// The recorded rates are those of the timer's models.
/// Throws ConfigError where kernels have no durations, as a roofline times them in the simulation,
/// and where nothing tells what bounds them.
AcceleratorEdit ChangeAccelerator(Workload job, const AcceleratorWish& wish, KernelTimer& timer);

} // namespace nadi
