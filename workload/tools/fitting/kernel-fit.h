// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/kernels/kernel-models.h"
#include "workload/tools/fitting/kernel-samples.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What is known of the accelerator; what is not is the largest rate that a kernel reached.
struct FitOptions
{
    std::optional<FlopRate> peak;
    std::optional<Bandwidth> memoryBandwidth;
};

/// How a model meets one shape. Errors are relative: 0.1 is 10 % too slow.
struct ShapeFit
{
    ShapeSample sample;
    double nanos = 0; ///< as fitted
    double error = 0;
    /// Of a model that was fitted without this shape; nothing where it is the only one of its kind,
    /// or one of many that take little time.
    std::optional<double> errorLeftOut;
};

/// How well the model of a kind fits.
struct KindFit
{
    uint64_t kernels = 0;
    double logError = 0; ///< root of the mean of the squared errors of log time, over kernels
    double worst = 0;    ///< the error of a shape that is largest in absolute terms
    std::vector<ShapeFit> shapes;
};

/// Models of kernels and how well they fit what they were fitted to.
struct KernelFit
{
    KernelModels models;
    std::map<KernelOp, KindFit> kinds;
    std::map<KernelOp, UnsizedKernels> unsized; ///< of which the recording tells no work
    std::vector<std::string> notes;             ///< sentences
};

/// Fits a model to the kernels of each kind (FitRoofline). Where no kernel of a kind is bound by
/// memory, or none by arithmetic, the rate of other kinds stands for it if it is larger.
///
/// Throws ConfigError where no kernel has a recorded duration and work; `source` are the traces.
KernelFit
FitKernels(const KernelSamples& samples, const FitOptions& options, const std::string& source);

/// The models of FitKernels alone, without asking how well they fit. Requires: there is a shape.
KernelModels FitModels(const KernelSamples& samples, const FitOptions& options);

} // namespace nadi
