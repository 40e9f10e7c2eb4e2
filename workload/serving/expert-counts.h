// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace nadi
{

/// Tokens that a rank's experts computed in a layer; a row of `experts.csv`.
struct ExpertTokens
{
    uint64_t layer = 0;
    RankId rank;
    uint64_t tokens = 0;
};

/// How unevenly tokens fall on ranks or experts, over all layers.
struct ExpertSkew
{
    double gini = 0;            ///< the mean over the layers
    double largestOverMean = 0; ///< likewise
};

/// Counts what the experts computed, by layer, rank and expert.
class ExpertCounts
{
  public:
    void AddToRank(uint64_t layer, RankId rank, uint64_t tokens)
    {
        m_byRank[{layer, rank}] += tokens;
    }

    void AddToExperts(uint64_t layer, const std::vector<uint64_t>& tokens);

    void Add(const ExpertCounts& others);

    /// By (layer, rank).
    std::vector<ExpertTokens> ByRank() const;

    ExpertSkew SkewOfRanks() const;
    ExpertSkew SkewOfExperts() const;

    /// With the largest share of its layer's tokens. Requires: something was counted.
    ExpertTokens Hottest() const;

    bool IsEmpty() const
    {
        return m_byRank.empty();
    }

  private:
    std::map<uint64_t, std::vector<uint64_t>> RanksByLayer() const;

    std::map<std::pair<uint64_t, RankId>, uint64_t> m_byRank;
    std::map<uint64_t, std::vector<uint64_t>> m_byExpert; // by layer, then expert
};

} // namespace nadi
