// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/synthesis/class-samples.h"
#include "workload/tools/synthesis/trace-model.h"
#include "workload/tools/synthesis/trace-synthesizer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nadi
{

/// The largest difference between the shares of two samples that lie at or below a value, over all
/// values: the Kolmogorov-Smirnov distance, 0 for equal distributions and 1 for samples that do not
/// overlap. Two empty samples have the distance 0, an empty one and another 1.
double ComputeKolmogorovSmirnov(std::vector<uint64_t> left, std::vector<uint64_t> right);

/// How the nodes of one class came out.
struct ClassComparison
{
    std::string name;
    uint64_t recorded = 0; ///< nodes
    uint64_t synthetic = 0;
    double recordedShare = 0; ///< of all nodes
    double syntheticShare = 0;
    std::array<double, NODE_QUANTITIES.size()> distances{}; ///< Kolmogorov-Smirnov
    /// The lag-1 autocorrelation of the leading quantity, such as the duration.
    double recordedCorrelation = 0;
    double syntheticCorrelation = 0;
};

/// Compares synthetic traces with the recorded ones that they are drawn from.
class SynthesisReport
{
  public:
    /// Requires: the model outlives this.
    explicit SynthesisReport(const TraceModel& model);

    void AddRank(const SyntheticRank& rank);

    /// By class of the model.
    std::vector<ClassComparison> Compare() const;

  private:
    /// All but the shares.
    ClassComparison CompareClass(size_t index) const;

    const TraceModel& m_model;
    std::vector<ClassSamples> m_synthetic; // by class
};

/// A table with a line a class.
std::string FormatComparison(const std::vector<ClassComparison>& comparison);

} // namespace nadi
