// SPDX-License-Identifier: GPL-2.0-only
#include "network/flow/exact-shares.h"

namespace nadi
{

uint64_t
ExactShares::RoundDownAt(uint32_t link)
{
    const Fraction share = ShareAt(link) + Fraction(1, 1 << SLACK_BITS);
    const boost::multiprecision::cpp_int whole = numerator(share) / denominator(share);
    return whole.convert_to<uint64_t>();
}

/// Ends: the shares of slower links are worked out on the way, and each once.
const ExactShares::Fraction&
ExactShares::ShareAt(uint32_t link)
{
    const auto known = m_known.find(link);
    if (known != m_known.end())
    {
        return known->second;
    }
    Fraction left = static_cast<uint64_t>(m_table.CapacityOf(link) >> ShareTable::FRACTION_BITS);
    uint64_t takers = 0;
    for (const ShareTable::Crossing& crossing : m_table.CrossingsOf(link))
    {
        const uint32_t limit = m_table.LimitOf(crossing.flow);
        // The binary fractions suffice to tell which flows are slower (see DOUBT). Only amounts
        // need to be exact.
        if (IsSlower(limit, link))
        {
            left -= ShareAt(limit);
            continue;
        }
        ++takers;
    }
    // A link that limits nobody has no share, and what is told of it reaches nobody.
    return m_known[link] = takers > 0 ? Fraction(left / takers) : Fraction(0);
}

bool
ExactShares::IsSlower(uint32_t limit, uint32_t link) const
{
    return limit != link && m_table.ShareAt(limit) + DOUBT < m_table.ShareAt(link);
}

} // namespace nadi
