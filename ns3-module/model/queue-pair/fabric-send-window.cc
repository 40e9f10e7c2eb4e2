// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-send-window.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

FabricSendWindow::FabricSendWindow(FabricLossRecovery recovery)
    : m_selective(recovery == FabricLossRecovery::Selective ? std::make_unique<Selective>()
                                                            : nullptr)
{
}

void
FabricSendWindow::Start()
{
    if (HasLost())
    {
        // The last listed frame to be sent again sets the fence: what is sent for the first time
        // from now on follows it on the wire.
        m_selective->lost.Erase(m_selective->lost.GetFirst());
        m_selective->fence = m_started;
        return;
    }
    ++m_next;
    m_started = std::max(m_started, m_next);
}

bool
FabricSendWindow::Acknowledge(uint64_t sequence)
{
    if (sequence <= m_acknowledged)
    {
        return false;
    }
    NS_ABORT_MSG_IF(sequence > m_started, "a frame was acknowledged before it was sent");
    m_acknowledged = sequence;
    // After going back, an answer from before may acknowledge what was about to be sent again.
    m_next = std::max(m_next, sequence);
    if (m_selective)
    {
        m_selective->arrived.EraseBelow(sequence);
        m_selective->lost.EraseBelow(sequence);
    }
    return true;
}

bool
FabricSendWindow::ReportGap(uint64_t sequence, uint64_t arrived)
{
    NS_ABORT_MSG_IF(arrived <= sequence || arrived >= m_started,
                    "frame " << arrived << " cannot lie beyond a gap at " << sequence);
    Acknowledge(sequence);
    const bool hasActed = m_selective ? ListMissing(arrived) : GoBack(sequence, arrived);
    if (hasActed)
    {
        ++m_attempt;
    }
    return hasActed;
}

bool
FabricSendWindow::GoBack(uint64_t sequence, uint64_t arrived)
{
    // Every frame beyond the gap causes a report, but the sender goes back once. `arrived` tells
    // whether the report is about frames sent since it went back last, and whether what was sent
    // again then is lost too: otherwise all to the end of the message would be sent in vain.
    const bool isKnown = sequence == m_gap && arrived < m_gapFence;
    if (sequence < m_acknowledged || isKnown || arrived >= m_next)
    {
        return false;
    }
    m_gap = sequence;
    m_gapFence = m_started;
    m_next = sequence;
    return true;
}

/// For a frame that arrived beyond a gap: lists what is missing before it, but for frames that an
/// earlier report has listed and that may still be on their way. \return Whether something was
/// listed.
bool
FabricSendWindow::ListMissing(uint64_t arrived)
{
    Selective& state = *m_selective;
    if (arrived < m_acknowledged)
    {
        return false;
    }
    state.arrived.Insert(arrived);
    state.lost.Erase(arrived);
    // What lies below `examined` was listed once, and is on its way again; to list it at each
    // report would send it once for every frame beyond the gap.
    uint64_t first = std::max(state.examined, m_acknowledged);
    if (arrived >= state.fence)
    {
        first = m_acknowledged;
        state.fence = NO_FENCE; // until one of these is sent
    }
    bool isListed = false;
    for (uint64_t i = first; i < arrived; ++i)
    {
        if (!state.arrived.Contains(i) && state.lost.Insert(i))
        {
            isListed = true;
        }
    }
    state.examined = std::max(state.examined, arrived + 1);
    return isListed;
}

void
FabricSendWindow::ReportEarly(uint64_t arrived)
{
    NS_ABORT_MSG_IF(arrived >= m_started, "frame " << arrived << " arrived before it was sent");
    if (m_selective && arrived >= m_acknowledged)
    {
        m_selective->arrived.Insert(arrived);
        m_selective->lost.Erase(arrived);
    }
}

void
FabricSendWindow::ReportTimeout()
{
    NS_ABORT_MSG_IF(IsAllAcknowledged(), "a timeout while nothing is unanswered");
    ++m_attempt;
    if (m_selective)
    {
        m_selective->lost.AssignMissing(m_selective->arrived, m_acknowledged, m_started);
        // All that is missing is listed now, so later reports need not look below.
        m_selective->examined = m_started;
        return;
    }
    // m_gap is reset as well, so that a gap at the same number is acted upon once more.
    m_next = m_acknowledged;
    m_gap = NO_GAP;
}

} // namespace ns3
