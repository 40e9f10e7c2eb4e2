// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/flow/share-table.h"

#include <boost/multiprecision/cpp_int.hpp>

#include <cstdint>
#include <map>

namespace nadi
{

/// The shares of a ShareTable as exact fractions. They decide how a share is rounded where the last
/// bits of its binary fraction would. That is rare, so nothing is kept from one use to the next.
///
/// The share of a link is what the slower flows leave of its capacity, divided by the number of the
/// others. Requires: the shares are max-min fair, and `table` does not change.
class ExactShares
{
  public:
    /// What is this little below a whole number of units counts as that number.
    static constexpr uint32_t SLACK_BITS = 16;

    explicit ExactShares(const ShareTable& table)
        : m_table(table)
    {
    }

    /// The binary fraction does not tell for sure on which side of the slack the share is.
    static bool IsInDoubt(ShareTable::Share share)
    {
        constexpr ShareTable::Share WHOLE = ShareTable::Share{1} << ShareTable::FRACTION_BITS;
        return ((share + SLACK + DOUBT) & (WHOLE - 1)) < 2 * DOUBT;
    }

    /// As the binary fraction says: rounded down, with the slack.
    static uint64_t RoundDown(ShareTable::Share share)
    {
        return static_cast<uint64_t>((share + SLACK) >> ShareTable::FRACTION_BITS);
    }

    /// The share of the link rounded down, with the slack.
    uint64_t RoundDownAt(uint32_t link);

  private:
    using Fraction = boost::multiprecision::cpp_rational;

    static constexpr ShareTable::Share SLACK = ShareTable::Share{1}
                                               << (ShareTable::FRACTION_BITS - SLACK_BITS);

    /// More than the errors of binary fractions add up to. Shares that differ by less are taken as
    /// equal.
    static constexpr ShareTable::Share DOUBT = ShareTable::Share{1} << 24;

    const Fraction& ShareAt(uint32_t link);
    bool IsSlower(uint32_t limit, uint32_t link) const;

    const ShareTable& m_table;
    std::map<uint32_t, Fraction> m_known; // by link
};

} // namespace nadi
