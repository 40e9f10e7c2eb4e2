// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-expected-trains.h"

namespace ns3
{

const FabricTrain*
FabricExpectedTrains::FindSeen() const
{
    for (std::size_t i = 0; i < m_trains.GetSize(); ++i)
    {
        if (!m_trains[i].next.endsUnseen)
        {
            return &m_trains[i];
        }
    }
    return nullptr;
}

void
FabricExpectedTrains::Add(const FabricTrain& train)
{
    m_rate += ComputeRate(train);
    Insert(train);
}

std::vector<FabricTrain>
FabricExpectedTrains::TakeAll()
{
    std::vector<FabricTrain> trains;
    for (; !m_trains.IsEmpty(); m_trains.PopFront())
    {
        trains.push_back(m_trains.Front());
    }
    m_rate = 0;
    return trains;
}

uint64_t
FabricExpectedTrains::ComputeRate(const FabricTrain& train)
{
    // A function of the gap alone, which does not change while the train lasts. So what is
    // subtracted in the end is exactly what Add added, and errors of rounding do not add up.
    const auto gap = static_cast<uint64_t>(train.gap);
    return (RATE_ONE + gap - 1) / gap;
}

void
FabricExpectedTrains::Insert(const FabricTrain& train)
{
    // Searched from the end: trains that share a port mostly have equal gaps, so a train that has
    // just been advanced belongs behind all others.
    std::size_t position = m_trains.GetSize();
    while (position > 0 && m_trains[position - 1].arrival > train.arrival)
    {
        --position;
    }
    m_trains.Insert(position, train);
}

void
FabricExpectedTrains::Advance(uint64_t count)
{
    FabricTrain train = m_trains.Front();
    m_trains.PopFront();
    train.Advance(count);
    if (train.count > 0)
    {
        Insert(train);
        return;
    }
    m_rate -= ComputeRate(train);
}

void
FabricExpectedTrains::Cut(uint32_t ingress, uint32_t flow, uint64_t end)
{
    for (std::size_t i = 0; i < m_trains.GetSize(); ++i)
    {
        FabricTrain& train = m_trains[i];
        // A port promises one train of a flow at a time, and earlier trains of the flow end where
        // that one begins. So at most one reaches beyond `end`.
        if (train.next.flow != flow || train.next.ingress != ingress || train.GetEnd() <= end)
        {
            continue;
        }
        if (train.next.sequence >= end)
        {
            m_rate -= ComputeRate(train);
            m_trains.Erase(i);
            return;
        }
        train.count = end - train.next.sequence;
        return;
    }
}

} // namespace ns3
