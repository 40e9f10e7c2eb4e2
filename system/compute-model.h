// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"

#include <map>

namespace nadi
{

/// How long compute takes; `system.compute`.
struct ComputeOptions
{
    enum class Model
    {
        Trace,    ///< the recorded duration
        Roofline, ///< max(operations / peak, bytes / memory bandwidth)
    };

    Model model = Model::Trace;
    FlopRate peak;                      ///< roofline
    Bandwidth memoryBandwidth;          ///< roofline
    double scale = 1.0;                 ///< on every duration
    std::map<uint32_t, double> perRank; ///< further factors, by rank: stragglers
};

/// One compute node.
struct ComputeWork
{
    RankId rank;
    SimTime recorded; ///< duration of the trace
    Flops operations;
    Bytes memory;       ///< tensor_size
    bool isCpu = false; ///< always timed by its recorded duration
};

/// Duration of compute nodes; pure.
///
/// `scale` and the rank's factor multiply every duration, those of CPU nodes too: a straggler is a
/// slow host as much as a slow NPU. Factors count to nine decimals.
class ComputeModel
{
  public:
    /// Requires: under the roofline, both rates are above 0.
    explicit ComputeModel(const ComputeOptions& options);

    /// Rounded up to a picosecond, and again for each factor. Under the roofline a node without
    /// operations and bytes falls back to its recorded duration (S. Williams, A. Waterman,
    /// D. Patterson, "Roofline", 2009).
    SimTime ComputeDuration(const ComputeWork& work) const;

  private:
    SimTime UnscaledDuration(const ComputeWork& work) const;

    ComputeOptions m_options;
};

} // namespace nadi
