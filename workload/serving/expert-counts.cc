// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/expert-counts.h"

#include "common/check.h"
#include "workload/serving/expert-weights.h"

#include <numeric>

namespace nadi
{

namespace
{

double
ShareOfLayer(uint64_t tokens, const std::vector<uint64_t>& layer)
{
    const uint64_t sum = std::accumulate(layer.begin(), layer.end(), uint64_t{0});
    return sum == 0 ? 0 : double(tokens) / double(sum);
}

ExpertSkew
MeanSkew(const std::map<uint64_t, std::vector<uint64_t>>& layers)
{
    ExpertSkew skew;
    for (const auto& [layer, counts] : layers)
    {
        const std::vector<double> tokens(counts.begin(), counts.end());
        skew.gini += GiniOf(tokens) / double(layers.size());
        skew.largestOverMean += LargestOverMean(tokens) / double(layers.size());
    }
    return skew;
}

} // namespace

void
ExpertCounts::AddToExperts(uint64_t layer, const std::vector<uint64_t>& tokens)
{
    // Changes the size in the first call for a layer only: lists have an entry for each expert.
    std::vector<uint64_t>& counts = m_byExpert[layer];
    counts.resize(tokens.size());
    for (size_t expert = 0; expert < tokens.size(); ++expert)
    {
        counts[expert] += tokens[expert];
    }
}

void
ExpertCounts::Add(const ExpertCounts& others)
{
    for (const auto& [place, tokens] : others.m_byRank)
    {
        m_byRank[place] += tokens;
    }
    for (const auto& [layer, tokens] : others.m_byExpert)
    {
        AddToExperts(layer, tokens);
    }
}

std::vector<ExpertTokens>
ExpertCounts::ByRank() const
{
    std::vector<ExpertTokens> rows;
    for (const auto& [place, tokens] : m_byRank)
    {
        rows.push_back({place.first, place.second, tokens});
    }
    return rows;
}

std::map<uint64_t, std::vector<uint64_t>>
ExpertCounts::RanksByLayer() const
{
    std::map<uint64_t, std::vector<uint64_t>> layers;
    for (const auto& [place, tokens] : m_byRank)
    {
        layers[place.first].push_back(tokens);
    }
    return layers;
}

ExpertSkew
ExpertCounts::SkewOfRanks() const
{
    return MeanSkew(RanksByLayer());
}

ExpertSkew
ExpertCounts::SkewOfExperts() const
{
    return MeanSkew(m_byExpert);
}

ExpertTokens
ExpertCounts::Hottest() const
{
    NADI_CHECK(!IsEmpty());
    const std::map<uint64_t, std::vector<uint64_t>> layers = RanksByLayer();
    ExpertTokens hottest;
    // Below any share, so that a row is chosen even where no expert computed anything.
    double share = -1;
    for (const ExpertTokens& row : ByRank())
    {
        if (const double own = ShareOfLayer(row.tokens, layers.at(row.layer)); own > share)
        {
            share = own;
            hottest = row;
        }
    }
    return hottest;
}

} // namespace nadi
