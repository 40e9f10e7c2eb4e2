// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/sequence-model.h"

#include "workload/tools/synthesis/autocorrelation.h"

#include <algorithm>

namespace nadi
{

/// Values are drawn for all sequences together, so a single one need not have the distribution by
/// itself. Latent sequences say where each value stands.
std::vector<uint64_t>
SequenceModel::Draw(size_t sequences, size_t length, RandomNumbers& random) const
{
    std::vector<double> latent;
    for (size_t sequence = 0; sequence < sequences; ++sequence)
    {
        // Each sequence begins anew: its first number has nothing to do with the last one of the
        // sequence before.
        const std::vector<double> one = MakeLatentSequence(length, latentCorrelation, random);
        latent.insert(latent.end(), one.begin(), one.end());
    }
    return ArrangeLike(latent, values.Draw(latent.size(), random));
}

double
FitLatentCorrelation(std::vector<uint64_t> values,
                     const std::vector<std::span<const uint64_t>>& sequences,
                     uint64_t unit)
{
    std::sort(values.begin(), values.end());
    return FindLatentCorrelation(values, unit, ComputeLagCorrelation(sequences, unit));
}

SequenceModel
SequenceValues::Fit() const
{
    std::vector<std::span<const uint64_t>> sequences;
    for (size_t index = 0; index < m_starts.size(); ++index)
    {
        const size_t end = index + 1 < m_starts.size() ? m_starts[index + 1] : m_values.size();
        sequences.push_back(std::span(m_values).subspan(m_starts[index], end - m_starts[index]));
    }
    SequenceModel model{.values = ValueModel::Fit(m_values)};
    model.latentCorrelation = FitLatentCorrelation(m_values, sequences, model.values.Unit());
    return model;
}

} // namespace nadi
