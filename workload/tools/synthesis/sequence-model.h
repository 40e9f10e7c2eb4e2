// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/random-numbers.h"
#include "workload/tools/synthesis/value-model.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nadi
{

/// Numbers that follow one another.
struct SequenceModel
{
    ValueModel values;
    /// That of successive normal numbers which give the recorded lag-1 autocorrelation
    /// (FindLatentCorrelation).
    double latentCorrelation = 0;

    /// So many sequences of so many numbers, one sequence after the other.
    std::vector<uint64_t> Draw(size_t sequences, size_t length, RandomNumbers& random) const;
};

/// FindLatentCorrelation for values whose lag-1 autocorrelation over `sequences` is wanted again.
double FitLatentCorrelation(std::vector<uint64_t> values,
                            const std::vector<std::span<const uint64_t>>& sequences,
                            uint64_t unit);

/// Collects sequences, and fits a model to them.
class SequenceValues
{
  public:
    /// Begins a sequence.
    void Begin()
    {
        m_starts.push_back(m_values.size());
    }

    /// Requires: a sequence was begun.
    void Add(uint64_t value)
    {
        m_values.push_back(value);
    }

    SequenceModel Fit() const;

  private:
    std::vector<uint64_t> m_values;
    std::vector<size_t> m_starts;
};

} // namespace nadi
