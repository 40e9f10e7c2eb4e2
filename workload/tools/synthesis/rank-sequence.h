// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/random-numbers.h"
#include "workload/tools/synthesis/rank-roles.h"
#include "workload/tools/synthesis/trace-model.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace nadi
{

/// A node of a synthetic sequence.
struct SyntheticStep
{
    static constexpr uint32_t NO_CALL = UINT32_MAX;

    uint32_t nodeClass = 0; ///< an index into TraceModel::classes
    uint32_t call = NO_CALL;
    uint32_t peer = 0;    ///< of a message
    uint32_t pattern = 0; ///< what it waits for: an index into TraceModel::patterns
};

/// Draws the sequence of a rank: its calls, and between them runs of classes.
class RankSequence
{
  public:
    /// Requires: model and roles outlive this.
    RankSequence(const TraceModel& model, const RankRoles& roles, uint32_t rank, uint64_t seed);

    std::vector<SyntheticStep> Draw();

  private:
    void AddCall(uint32_t call, uint32_t nodeClass);
    void FillGap(uint64_t length);
    void AddStep(SyntheticStep step);
    uint32_t DrawSuccessor();
    uint64_t DrawRunLength(uint32_t nodeClass);
    uint32_t DrawPattern(uint32_t nodeClass);
    size_t PerRank(uint64_t count) const;

    const TraceModel& m_model;
    const RankRoles& m_roles;
    uint32_t m_rank;
    RandomNumbers m_random;
    RandomNumbers m_gapRandom;
    std::map<uint32_t, ShuffledDraws> m_successors;
    std::map<uint32_t, ShuffledDraws> m_runLengths;
    std::map<std::pair<uint32_t, uint32_t>, ShuffledDraws> m_patterns;
    uint32_t m_runClass = TraceModel::START;
    uint64_t m_runLeft = 0; // nodes of the run that are not yet there
    std::vector<SyntheticStep> m_steps;
};

} // namespace nadi
