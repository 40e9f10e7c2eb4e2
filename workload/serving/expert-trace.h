// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace nadi
{

/// Recorded tokens by expert, from a CSV file of one of two forms: `layer,expert,tokens`, or
/// `iteration,layer,rank,expert,tokens` with iterations from 0, which begin again after the last,
/// and ranks from 0 among those that share the experts.
class ExpertTrace
{
  public:
    /// Reads `file`, of a model of `layers` layers with experts (counted from 0) and `experts`
    /// experts, each token of which goes to `topK`. Throws ConfigError with file:line for an
    /// unknown header, a field that is no count, a layer, rank or expert that does not exist, a
    /// line that comes twice; with the file for a layer where fewer than `topK` experts have
    /// tokens.
    ExpertTrace(
        const std::string& file, uint64_t layers, uint32_t experts, uint32_t ranks, uint32_t topK);

    /// Tokens by expert in this layer, of all iterations and ranks.
    const std::vector<double>& Weights(uint64_t layer) const
    {
        return m_weights[layer];
    }

    /// Whether it is of the second form, with counts of single iterations and ranks.
    bool IsExact() const
    {
        return !m_exact.empty();
    }

    /// Tokens by expert that `rank` sent in this layer of iteration mod (number of iterations);
    /// null where the file does not say.
    const std::vector<uint64_t>* Find(uint64_t iteration, uint64_t layer, uint32_t rank) const;

  private:
    using Place = std::tuple<uint64_t, uint64_t, uint64_t>; // iteration, layer, rank

    void AddLine(const std::vector<uint64_t>& fields, const std::string& where, uint64_t ranks);
    void CheckWhole(const std::string& file, uint32_t topK) const;

    uint32_t m_experts;
    std::vector<std::vector<double>> m_weights; // by layer, then expert
    std::map<Place, std::vector<uint64_t>> m_exact;
    std::map<std::tuple<uint64_t, uint64_t, uint64_t, uint64_t>, bool> m_seen;
};

} // namespace nadi
