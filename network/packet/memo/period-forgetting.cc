// SPDX-License-Identifier: GPL-2.0-only
// What the memo has learned does not grow without a bound.
#include "common/check.h"
#include "network/packet/memo/period-memo.h"

namespace nadi
{

namespace
{

/// A message that is answered saves most of what it costs to simulate it, and each message costs
/// some percent more where there is a memo. So answers to fewer than one message in so many do not
/// pay for the memo.
constexpr uint64_t MESSAGES_FOR_AN_ANSWER = 16;

/// The memo has to pay for itself by the time when it holds this part of what it may hold.
constexpr uint64_t PART_FOR_A_TRIAL = 16;

} // namespace

/// Whether it holds too much, or too much for the little that it has answered.
bool
PeriodMemo::IsFull() const
{
    const uint64_t words = m_ways.Words() + m_trie.Words();
    return words > m_mostWords || (words > m_mostWords / PART_FOR_A_TRIAL && !IsUseful());
}

/// Since it forgot last.
bool
PeriodMemo::IsUseful() const
{
    const uint64_t messages = m_messageCount - m_messagesThen;
    return m_answeredCount - m_answeredThen >= messages / MESSAGES_FOR_AN_ANSWER;
}

/// The memo begins anew, unless what is forgotten was of little use.
void
PeriodMemo::Forget()
{
    NADI_CHECK(m_sent.empty());
    // Now no period is answered or recorded, so none refers to a way or to a node of the trie.
    BringUpToDate();
    m_ways.Clear();
    m_trie = PeriodTrie();
    if (!IsUseful())
    {
        End();
    }
    m_messagesThen = m_messageCount;
    m_answeredThen = m_answeredCount;
}

/// What is simulated goes on without the memo.
void
PeriodMemo::End()
{
    m_hasEnded = true;
    m_built.fabric->SetActivityListener(nullptr);
    m_posted = {};
    m_rested = {};
}

} // namespace nadi
