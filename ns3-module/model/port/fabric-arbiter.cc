// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-arbiter.h"

#include <algorithm>

namespace ns3
{

void
FabricFrameQueue::Insert(const FabricFrame& frame, int64_t now)
{
    if (now != m_instant)
    {
        m_instant = now;
        m_newcomers = 0;
    }
    // Only frames of this instant may be passed, which are the last m_newcomers. Frames of earlier
    // instants come first, whatever their ingress.
    std::size_t position = m_frames.GetSize();
    const std::size_t first = position - std::min(position, m_newcomers);
    while (position > first && m_frames[position - 1].ingress > frame.ingress)
    {
        --position;
    }
    m_frames.Insert(position, frame);
    ++m_newcomers;
    m_bytes += frame.wireBytes;
}

void
FabricFrameQueue::Append(const FabricFrame& frame)
{
    m_frames.PushBack(frame);
    m_bytes += frame.wireBytes;
}

FabricFrame
FabricFrameQueue::Take()
{
    const FabricFrame frame = m_frames.Front();
    m_frames.PopFront();
    m_bytes -= frame.wireBytes;
    return frame;
}

uint64_t
FabricArbiter::GetWaitingBytes(FabricPriority priority) const
{
    const std::size_t index = priority - FABRIC_DATA_PRIORITY;
    // A priority that was never used at this port has no class yet (GetClass).
    return index < m_classes.size() ? m_classes[index].transit.GetBytes() : 0;
}

void
FabricArbiter::Insert(const FabricFrame& frame, int64_t now)
{
    CountWaiting(frame);
    switch (frame.kind)
    {
    case FabricFrameKind::Data:
        GetClass(frame.priority).transit.Insert(frame, now);
        return;
    case FabricFrameKind::Pause:
    case FabricFrameKind::Resume:
        m_pauses.Insert(frame, now);
        return;
    default:
        m_control.Insert(frame, now);
    }
}

FabricArbiter::Cancelled
FabricArbiter::CancelOpposite(const FabricFrame& frame)
{
    Cancelled cancelled;
    // Each frame is taken once, and put back behind the others unless it is cancelled. So the order
    // stays.
    for (std::size_t left = m_pauses.GetSize(); left > 0; --left)
    {
        const FabricFrame waiting = m_pauses.Take();
        if (waiting.detail == frame.detail && waiting.kind != frame.kind)
        {
            ++cancelled.count;
            cancelled.isSomeRepeated |= waiting.attempt > 0;
            CountTaken(waiting);
            continue;
        }
        m_pauses.Append(waiting);
    }
    return cancelled;
}

bool
FabricArbiter::Update(FabricQueuePair& queuePair, FabricPriority priority)
{
    return GetClass(priority).local.Update(queuePair);
}

void
FabricArbiter::Remove(const FabricQueuePair& queuePair, FabricPriority priority)
{
    GetClass(priority).local.Remove(queuePair);
}

uint32_t
FabricArbiter::PeekBytes(int64_t start) const
{
    if (!m_pauses.IsEmpty())
    {
        return m_pauses.Front().wireBytes;
    }
    if (!m_control.IsEmpty())
    {
        return m_control.Front().wireBytes;
    }
    const Class& chosen = m_classes[ChooseClass(start)];
    return IsTransitChosen(chosen, start) ? chosen.transit.Front().wireBytes
                                          : chosen.local.Peek(start).PeekBytes();
}

FabricFrame
FabricArbiter::Take(int64_t start)
{
    if (!m_pauses.IsEmpty() || !m_control.IsEmpty())
    {
        const FabricFrame frame = (m_pauses.IsEmpty() ? m_control : m_pauses).Take();
        CountTaken(frame);
        return frame;
    }
    const std::size_t index = ChooseClass(start);
    CountTurns(index, 1);
    Class& chosen = m_classes[index];
    if (!IsTransitChosen(chosen, start))
    {
        // The one that was served now goes second next time, so the two alternate while both wait.
        chosen.isTransitNext = true;
        FabricFrame frame = chosen.local.Take(start);
        frame.priority = ToPriority(index);
        return frame;
    }
    chosen.isTransitNext = false;
    const FabricFrame frame = chosen.transit.Take();
    CountTaken(frame);
    return frame;
}

void
FabricArbiter::TakeLocalTrain(uint64_t count, int64_t lastStart)
{
    const std::size_t index = IndexOf(*FindOnlyClass());
    CountTurns(index, count);
    // The last of these frames was a local one, so transit is next.
    m_classes[index].isTransitNext = true;
    m_classes[index].local.TakeTrain(count, lastStart);
}

void
FabricArbiter::PassTrain(FabricPriority priority, uint64_t count)
{
    CountTurns(priority - FABRIC_DATA_PRIORITY, count);
    GetClass(priority).isTransitNext = false;
}

void
FabricArbiter::ForgetTurns()
{
    for (Class& present : m_classes)
    {
        present.isTransitNext = true;
        present.local.ForgetTurns();
    }
    // As in a new port: class 0 counts as served last, and has no turns left.
    m_turn = 0;
    m_turnsLeft = 0;
}

std::vector<FabricFrame>
FabricArbiter::TakeFrames()
{
    std::vector<FabricFrame> frames;
    while (!m_control.IsEmpty())
    {
        frames.push_back(m_control.Take());
        CountTaken(frames.back());
    }
    for (Class& present : m_classes)
    {
        while (!present.transit.IsEmpty())
        {
            frames.push_back(present.transit.Take());
            CountTaken(frames.back());
        }
    }
    return frames;
}

uint64_t
FabricArbiter::CountSteps() const
{
    uint64_t steps = 0;
    for (const Class& present : m_classes)
    {
        steps += present.local.GetNSteps();
    }
    return steps;
}

/// Where no class has data, returns the first one: callers find it empty.
const FabricArbiter::Class*
FabricArbiter::FindOnlyOfSeveral() const
{
    const auto hasData = [](const Class& asked)
    { return !asked.transit.IsEmpty() || !asked.local.IsEmpty(); };
    const auto first = std::find_if(m_classes.begin(), m_classes.end(), hasData);
    if (first == m_classes.end())
    {
        return &m_classes.front();
    }
    const bool isOnly = std::none_of(first + 1, m_classes.end(), hasData);
    return isOnly ? &*first : nullptr;
}

/// A class is made when its priority is first used. Most networks use one priority, and a look at a
/// port then walks over one class and not over all.
FabricArbiter::Class&
FabricArbiter::GetClass(FabricPriority priority)
{
    const std::size_t index = priority - FABRIC_DATA_PRIORITY;
    if (index >= m_classes.size())
    {
        m_classes.resize(index + 1);
    }
    return m_classes[index];
}

bool
FabricArbiter::MayStart(std::size_t index, int64_t start) const
{
    return FindStart(index, start) == start;
}

/// The class that sends at `start`. Requires: no control frame waits, and some class may start at
/// that time.
std::size_t
FabricArbiter::ChooseClass(int64_t start) const
{
    const std::size_t count = m_classes.size();
    if (count == 1)
    {
        return 0;
    }
    // Strict priorities come first, the lower number first. They take no turns of the others.
    for (std::size_t i = 0; i < count; ++i)
    {
        if (m_weights[i] == 0 && MayStart(i, start))
        {
            return i;
        }
    }
    // The priority served last goes on while it has turns left in its round. A priority that may
    // not start loses the rest of its round: CountTurns begins a new one for the priority that is
    // served.
    const std::size_t first = m_turnsLeft > 0 ? 0 : 1;
    for (std::size_t i = 0; i < count; ++i)
    {
        const std::size_t index = (m_turn + first + i) % count;
        if (m_weights[index] != 0 && MayStart(index, start))
        {
            return index;
        }
    }
    return 0; // not reached: something may start
}

/// Whether the class sends a frame in transit at `start`. Otherwise it sends one of a local queue
/// pair.
bool
FabricArbiter::IsTransitChosen(const Class& chosen, int64_t start) const
{
    if (chosen.transit.IsEmpty())
    {
        return false;
    }
    // Frames in transit take the turn of local queue pairs if no local rate allows a start now.
    return chosen.isTransitNext || chosen.local.FindStart(start) != start;
}

/// Notes that the class has served `count` frames in a row.
void
FabricArbiter::CountTurns(std::size_t index, uint64_t count)
{
    const uint32_t weight = m_weights[index];
    if (weight == 0)
    {
        return;
    }
    if (index != m_turn)
    {
        m_turn = index;
        m_turnsLeft = 0;
    }
    // A round of a priority has `weight` turns; m_turnsLeft counts those of the round that are
    // left, and 0 means that a new round begins. With a weight of 4 and 1 turn left, 6 turns end
    // this round, make one whole round and take one turn of the next: 3 are left = (1 + 4 - 6 % 4)
    // % 4.
    const uint64_t rest = count % weight;
    m_turnsLeft = static_cast<uint32_t>((m_turnsLeft + weight - rest) % weight);
}

void
FabricArbiter::CountWaiting(const FabricFrame& frame)
{
    m_waitingBytes += frame.wireBytes;
    m_seenFrames += !frame.endsUnseen;
}

void
FabricArbiter::CountTaken(const FabricFrame& frame)
{
    m_waitingBytes -= frame.wireBytes;
    m_seenFrames -= !frame.endsUnseen;
}

} // namespace ns3
