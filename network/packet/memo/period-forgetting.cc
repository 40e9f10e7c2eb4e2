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

} // namespace

bool
PeriodMemo::IsFull() const
{
    return m_ways.Words() + m_trie.Words() > m_mostWords;
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
    const uint64_t messages = m_messageCount - m_messagesThen;
    const uint64_t answered = m_answeredCount - m_answeredThen;
    m_messagesThen = m_messageCount;
    m_answeredThen = m_answeredCount;
    if (answered < messages / MESSAGES_FOR_AN_ANSWER)
    {
        End();
    }
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
