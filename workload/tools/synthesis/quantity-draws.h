// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/synthesis/class-samples.h"
#include "workload/tools/synthesis/rank-sequence.h"
#include "workload/tools/synthesis/trace-model.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nadi
{

/// The quantities of the nodes of a rank's sequence, drawn from the models of their classes.
class QuantityDraws
{
  public:
    QuantityDraws(const TraceModel& model,
                  const std::vector<SyntheticStep>& steps,
                  uint64_t seed,
                  uint32_t rank);

    /// Of the next node of that class. Requires: the sequence has so many of them.
    NodeQuantities Next(uint32_t nodeClass);

  private:
    using Drawn = std::array<std::vector<uint64_t>, NODE_QUANTITIES.size()>;

    static Drawn DrawClass(const ClassModel& model, size_t count, RandomNumbers& random);

    std::vector<Drawn> m_drawn; // by class
    std::vector<size_t> m_next;
};

} // namespace nadi
