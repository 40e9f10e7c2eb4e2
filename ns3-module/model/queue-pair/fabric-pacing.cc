// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-pacing.h"

#include "ns3/fabric-time.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

void
FabricPacing::Begin(std::unique_ptr<FabricRateControl> control, uint64_t lineRate, uint64_t window)
{
    m_control = std::move(control);
    m_lineRate = lineRate;
    m_windowLimit = window;
    m_window = m_control ? std::min(window, m_control->GetWindow()) : window;
    // The gap after the last start belonged to the rate on the path before.
    m_eligible = std::numeric_limits<int64_t>::min();
    FindWhetherPaced();
}

FabricPace
FabricPacing::FindPace(int64_t free, int64_t time, uint32_t bytes) const
{
    if (!m_isPaced)
    {
        return {free, time, std::numeric_limits<uint64_t>::max()};
    }
    // Each start takes the rate of its own instant for the distance to the next one. So all starts
    // before the end of the rate are certain, and the one after the last of them.
    FabricPace pace;
    pace.first = std::max(free, m_eligible);
    pace.gap = IsAtLineRate() ? time : std::max(time, ComputeGap(bytes));
    const int64_t end = m_control->FindRateEnd();
    pace.count = 1;
    if (pace.first < end)
    {
        pace.count += static_cast<uint64_t>((end - pace.first - 1) / pace.gap) + 1;
    }
    return pace;
}

void
FabricPacing::OnStart(int64_t start, uint32_t bytes)
{
    if (m_control)
    {
        m_control->Advance(start);
        m_lastStart = start;
        m_lastBytes = bytes;
        Repace();
    }
}

void
FabricPacing::OnTrain(int64_t lastStart, uint32_t bytes)
{
    // The last start spaces the next frame, also after a first notification that is yet to come.
    m_lastStart = lastStart;
    m_lastBytes = bytes;
    if (m_isPaced)
    {
        m_control->Advance(lastStart);
        Repace();
    }
}

void
FabricPacing::OnAcknowledgement(const FabricFeedback& feedback)
{
    if (m_control)
    {
        const double before = m_control->GetRate();
        m_control->Advance(feedback.now);
        m_control->OnAcknowledgement(feedback);
        Repace();
        NoteRepaced(before);
    }
}

void
FabricPacing::OnCongestionNotification(int64_t now)
{
    if (m_control)
    {
        m_control->Advance(now);
        m_control->OnCongestionNotification(now);
        FindWhetherPaced();
        Repace();
        // Even if the rate is unchanged: a notification may set a tick of a timer, and the starts
        // were foretold without that tick.
        m_isRepaced = true;
    }
}

void
FabricPacing::OnLoss(int64_t now)
{
    if (m_control)
    {
        const double before = m_control->GetRate();
        m_control->Advance(now);
        m_control->OnLoss(now);
        Repace();
        NoteRepaced(before);
    }
}

void
FabricPacing::FindWhetherPaced()
{
    m_isPaced = m_control && !m_control->IsUntouched();
}

/// Has to be called after anything that may change the window or the rate of the control.
void
FabricPacing::Repace()
{
    m_window = std::min(m_windowLimit, m_control->GetWindow());
    if (IsAtLineRate())
    {
        m_eligible = std::numeric_limits<int64_t>::min();
        return;
    }
    // The gap counts from the last start and not from now, so an answer that raises the rate may
    // allow a start at once.
    m_eligible = FabricAddTime(m_lastStart, ComputeGap(m_lastBytes));
}

bool
FabricPacing::IsAtLineRate() const
{
    return m_control->GetRate() >= static_cast<double>(m_lineRate);
}

/// From the start of a frame of so many bytes to the next, at the rate of now.
int64_t
FabricPacing::ComputeGap(uint32_t bytes) const
{
    // Rounded up, so that no start comes sooner than the rate allows.
    return FabricToTime(std::ceil(FABRIC_BYTE_PICOSECONDS * bytes / m_control->GetRate()));
}

/// What was foretold of the starts supposed the rate `before`.
void
FabricPacing::NoteRepaced(double before)
{
    m_isRepaced = m_isRepaced || m_control->GetRate() != before;
}

} // namespace ns3
