// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dimension.h"
#include "system/collective-schedule.h"
#include "system/communicator.h"
#include "system/execution/algorithm-table.h"

#include <vector>

namespace nadi
{

/// What the planner shall think of a communicator's dimensions (docs/semantics.md 3):
///   B_d = bandwidth of a link x the links that the algorithm drives at a time;
///   a = latency of the path to a neighbour (a switch is two links away) + endpoint delay.
/// A list of ranks that no dimension tells apart is judged by the innermost dimension.
class DimensionModels
{
  public:
    /// The references outlive this. Requires: the stack is not empty and has bandwidths.
    DimensionModels(const std::vector<Dimension>& stack,
                    SimTime endpointDelay,
                    AlgorithmTable& algorithms);

    std::vector<DimensionModel> Make(CollectiveType collective,
                                     const std::vector<CommunicatorDimension>& dimensions);

  private:
    DimensionModel MakeOne(CollectiveType collective, const CommunicatorDimension& dimension);

    const std::vector<Dimension>& m_stack;
    SimTime m_endpointDelay;
    AlgorithmTable& m_algorithms;
};

} // namespace nadi
