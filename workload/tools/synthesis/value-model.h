// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/random-numbers.h"
#include "workload/tools/synthesis/gaussian-mixture.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nadi
{

/// The distribution of whole numbers such as sizes in bytes or durations in nanoseconds.
///
/// It has two parts. Values that occur exactly often, such as the size of a layer's gradients, are
/// kept as they are: the *atoms*. The others are a Gaussian mixture of their logarithms, since
/// sizes and durations spread over several powers of ten.
///
/// Holds: values drawn are multiples of Unit() and lie between the least and the largest value that
/// the model was made from.
class ValueModel
{
  public:
    struct Atom
    {
        uint64_t value = 0;
        uint64_t count = 0;
    };

    /// A value is an atom where it is 0, or at least one in a hundred of the values and 8 of them.
    /// Where fewer than 32 values are left for the mixture, or fewer than 8 different ones, all are
    /// atoms, as a mixture would rather describe these few than what they are drawn from.
    static ValueModel Fit(std::vector<uint64_t> values);

    /// Every value is an atom.
    static ValueModel Keep(std::vector<uint64_t> values);

    /// Draws so many values, ascending. They are a systematic sample: one from each of `count`
    /// equal shares of the distribution, at a random place in it, so that the sample is close to
    /// the distribution even where it is small. Without values in the model, all are 0.
    std::vector<uint64_t> Draw(size_t count, RandomNumbers& random) const;

    /// How many values it was made from.
    uint64_t Count() const
    {
        return m_count;
    }

    /// The greatest common divisor of the values, 1 where all are 0.
    uint64_t Unit() const
    {
        return m_unit;
    }

    bool IsConstant() const
    {
        return m_mixture.components.empty() && m_atoms.size() <= 1;
    }

    const std::vector<Atom>& Atoms() const
    {
        return m_atoms;
    }

    /// Of the natural logarithms of the values that are no atoms.
    const GaussianMixture& Mixture() const
    {
        return m_mixture;
    }

  private:
    void FitMixture(const std::vector<Atom>& rest);
    double AtomShare() const;
    uint64_t DrawFromMixture(double share) const;
    uint64_t RoundToUnit(double value) const;

    uint64_t m_unit = 1;
    uint64_t m_count = 0; // of all values
    std::vector<Atom> m_atoms;
    GaussianMixture m_mixture;
    uint64_t m_least = 0; // of those in the mixture
    uint64_t m_most = 0;
};

/// Values of a model one by one in random order. They come from one systematic sample of `batch`
/// values after the other, so that any `batch` of them in a row have nearly the model's shares.
class ShuffledDraws
{
  public:
    /// Requires: the model outlives this; batch > 0.
    ShuffledDraws(const ValueModel& model, size_t batch)
        : m_model(&model)
        , m_batch(batch)
    {
    }

    uint64_t Next(RandomNumbers& random);

  private:
    const ValueModel* m_model;
    size_t m_batch;
    std::vector<uint64_t> m_left;
};

} // namespace nadi
