// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/expert-drawer.h"

#include "common/check.h"

#include <algorithm>
#include <numeric>

namespace nadi
{
// Walker's method. Each expert is a column as high as its share of the weight times the number of
// experts, so that the mean height is 1. A lower column is filled up to 1 by a higher one, which
// loses what it gives and becomes the alias. In the end all columns have the height 1 and belong to
// two experts at most, so a point in them is found at once. Example: weights of 2, 1, 1 have the
// heights 1.5, 0.75, 0.75, and the first column gives a quarter to each of the others.

ExpertDrawer::ExpertDrawer(std::vector<double> weights)
    : m_weights(std::move(weights))
    , m_alias(m_weights.size())
{
    const double sum = std::accumulate(m_weights.begin(), m_weights.end(), 0.0);
    NADI_CHECK(sum > 0);
    std::vector<uint32_t> small;
    std::vector<uint32_t> large;
    for (uint32_t i = 0; i < m_weights.size(); ++i)
    {
        m_keep.push_back(m_weights[i] / sum * static_cast<double>(m_weights.size()));
        m_alias[i] = i;
        (m_keep[i] < 1 ? small : large).push_back(i);
    }
    while (!small.empty() && !large.empty())
    {
        const uint32_t filled = small.back();
        const uint32_t giver = large.back();
        small.pop_back();
        m_alias[filled] = giver;
        m_keep[giver] -= 1 - m_keep[filled];
        if (m_keep[giver] < 1)
        {
            large.pop_back();
            small.push_back(giver);
        }
    }
    for (const uint32_t full : small) // by rounding alone; never an expert without weight
    {
        m_keep[full] = m_weights[full] > 0 ? 1 : 0;
    }
}

uint32_t
ExpertDrawer::DrawOne(RandomNumbers& random) const
{
    const double point = random.Uniform() * static_cast<double>(m_weights.size());
    // The largest draw of Uniform() is rounded to 1, which lies behind the last column.
    const auto column =
        std::min(static_cast<uint32_t>(point), static_cast<uint32_t>(m_weights.size() - 1));
    return point - column < m_keep[column] ? column : m_alias[column];
}

/// Of the experts that are not in [begin, end).
uint32_t
ExpertDrawer::DrawRemaining(RandomNumbers& random, const uint32_t* begin, const uint32_t* end) const
{
    std::vector<double> left = m_weights;
    std::for_each(begin, end, [&left](uint32_t drawn) { left[drawn] = 0; });
    double point = random.Uniform() * std::accumulate(left.begin(), left.end(), 0.0);
    uint32_t last = 0;
    for (uint32_t i = 0; i < left.size(); ++i)
    {
        if (left[i] > 0)
        {
            last = i;
            point -= left[i];
            if (point < 0)
            {
                break;
            }
        }
    }
    return last;
}

// Draws again until the expert is a new one. So the experts that are left have the odds of their
// weights.
void
ExpertDrawer::Draw(RandomNumbers& random, std::vector<uint32_t>& chosen) const
{
    constexpr int attempts = 32;
    const uint32_t* begin = chosen.data();
    for (size_t i = 0; i < chosen.size(); ++i)
    {
        const uint32_t* end = begin + i;
        int left = attempts;
        do
        {
            // Where few of the weights are left, many draws would be in vain; DrawRemaining needs
            // one.
            chosen[i] = left-- > 0 ? DrawOne(random) : DrawRemaining(random, begin, end);
        }
        while (m_weights[chosen[i]] <= 0 || std::find(begin, end, chosen[i]) != end);
    }
}

} // namespace nadi
