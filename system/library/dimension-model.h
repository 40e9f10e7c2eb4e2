// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dimension.h"
#include "system/collective-schedule.h"
#include "system/communicator.h"
#include "system/in-network/tree-table.h"
#include "system/library/algorithm-table.h"
#include "system/library/collective-program.h"
#include "system/library/protocol.h"

#include <vector>

namespace nadi
{

/// The latency of a message step along a dimension: that of the path to a neighbour (a switch is
/// two links away), and what the protocol adds.
SimTime FindStepLatency(const Dimension& dimension, const Protocol& protocol);

/// What the planner shall think of a communicator's dimensions (docs/semantics.md 3):
///   B_d = bandwidth of a link x the links that the algorithm drives at a time;
///   a = FindStepLatency;
///   steps = those that follow one another in a phase, times the rounds in which a rank's lanes run
///   where they are more than `sends-in-flight`;
///   round trips, where switches help, are those of a whole slice;
///   detours = the latency of the links that their messages cross beyond those between neighbours,
///   along a whole line whose links join neighbours only;
///   forwarding = what the messages of the steps wait for on each link after their first.
/// Members that bring different sizes exchange them with `direct`, so that its model counts.
/// A list of ranks that no dimension tells apart is judged by the innermost dimension.
class DimensionModels
{
  public:
    /// The references outlive this. Requires: the stack is not empty and has bandwidths.
    DimensionModels(const SystemOptions& options,
                    const std::vector<Dimension>& stack,
                    const Protocol& protocol,
                    AlgorithmTable& algorithms,
                    TreeTable* trees = nullptr);

    /// For a collective of `size`, all chunks together.
    std::vector<DimensionModel> Make(const ProgramRequest& request, Bytes size);

  private:
    uint32_t
    CountRounds(const CollectiveAlgorithm& algorithm, CollectiveType phase, uint32_t ranks) const;
    uint64_t CountLinks(const CollectiveAlgorithm& algorithm,
                        CollectiveType phase,
                        const CommunicatorDimension& along) const;
    DimensionModel MakeOne(const ProgramRequest& request, Bytes size, uint32_t dimension);
    void AddSteps(DimensionModel& model,
                  CollectiveType phase,
                  const CollectiveAlgorithm& algorithm,
                  const CommunicatorDimension& along) const;
    void AddPhase(DimensionModel& model,
                  CollectiveType phase,
                  const CollectiveAlgorithm& algorithm,
                  const CommunicatorDimension& along,
                  SimTime roundTrip) const;
    SimTime
    FindRoundTrip(const CollectiveAlgorithm& algorithm, const TreeGroup& trees, Bytes size) const;
    const TreeGroup* FindTrees(const CollectiveAlgorithm& algorithm,
                               const CommunicatorLayout& layout,
                               uint32_t dimension) const;

    const SystemOptions& m_options;
    const std::vector<Dimension>& m_stack;
    const Protocol& m_protocol;
    AlgorithmTable& m_algorithms;
    TreeTable* m_trees; // null: no switch helps
};

} // namespace nadi
