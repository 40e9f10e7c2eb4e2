// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/random-numbers.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Draws distinct experts for a token, one after the other, each with its weight over the sum of
/// those not drawn yet. The time for an expert does not depend on how many there are (Walker,
/// "An efficient method for generating discrete random variables with general distributions",
/// 1977), except where the experts drawn before hold nearly all of the weight.
class ExpertDrawer
{
  public:
    /// Requires: weights >= 0, with a sum above 0.
    explicit ExpertDrawer(std::vector<double> weights);

    /// Fills `chosen`, whose size says how many. Requires: so many experts have a weight above 0.
    void Draw(RandomNumbers& random, std::vector<uint32_t>& chosen) const;

    /// By expert.
    const std::vector<double>& Weights() const
    {
        return m_weights;
    }

  private:
    uint32_t DrawOne(RandomNumbers& random) const;
    uint32_t DrawRemaining(RandomNumbers& random, const uint32_t* begin, const uint32_t* end) const;

    std::vector<double> m_weights;
    std::vector<double> m_keep;    // of a column: below it the column itself, else its alias
    std::vector<uint32_t> m_alias; // by column
};

} // namespace nadi
