// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-scheduler.h"

#include "fabric-hash.h"

#include "ns3/abort.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricScheduler);

TypeId
FabricScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricScheduler")
            .SetParent<Scheduler>()
            .SetGroupName("Fabric")
            .AddConstructor<FabricScheduler>()
            .AddAttribute("ScrambleSeed",
                          "Executes the events of one instant in an order scrambled by this "
                          "number; 0: in order of insertion.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricScheduler::m_scrambleSeed),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("FirstSequence",
                          "Where the count of insertions begins; anything but 0 is for tests.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FabricScheduler::m_sequence),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

FabricScheduler::FabricScheduler() = default;

FabricScheduler::~FabricScheduler() = default;

void
FabricScheduler::Insert(const Event& event)
{
    const EventKey& key = event.key;
    const Entry entry{key.m_ts, MakeRank(key.m_ts), event.impl, key.m_uid, key.m_context};
    m_heap.push_back(entry);
    SiftUp(m_heap.size() - 1, entry);
}

bool
FabricScheduler::IsEmpty() const
{
    return m_heap.empty();
}

Scheduler::Event
FabricScheduler::PeekNext() const
{
    return MakeEventOf(m_heap.front());
}

Scheduler::Event
FabricScheduler::RemoveNext()
{
    const Event next = MakeEventOf(m_heap.front());
    m_instant = next.key.m_ts;
    RemoveAt(0);
    return next;
}

void
FabricScheduler::Remove(const Event& event)
{
    const auto isSame = [&event](const Entry& entry)
    {
        return entry.uid == event.key.m_uid && entry.time == event.key.m_ts &&
               entry.impl == event.impl;
    };
    const auto found = std::find_if(m_heap.begin(), m_heap.end(), isSame);
    NS_ABORT_MSG_IF(found == m_heap.end(), "an event to remove is not in the event list");
    RemoveAt(static_cast<std::size_t>(found - m_heap.begin()));
}

Scheduler::Event
FabricScheduler::MakeEventOf(const Entry& entry)
{
    return {entry.impl, {entry.time, entry.uid, entry.context}};
}

uint64_t
FabricScheduler::MakeRank(uint64_t time)
{
    const uint64_t sequence = m_sequence++;
    if (m_scrambleSeed == 0)
    {
        return sequence;
    }
    constexpr uint64_t LATE = uint64_t{1} << 63;
    return time == m_instant ? LATE | sequence
                             : FabricMix(FabricMix(m_scrambleSeed) ^ sequence) & ~LATE;
}

void
FabricScheduler::SiftUp(std::size_t hole, const Entry& entry)
{
    while (hole > 0)
    {
        const std::size_t parent = (hole - 1) / ARITY;
        if (!entry.IsBefore(m_heap[parent]))
        {
            break;
        }
        m_heap[hole] = m_heap[parent];
        hole = parent;
    }
    m_heap[hole] = entry;
}

void
FabricScheduler::SiftDown(std::size_t hole, const Entry& entry)
{
    for (;;)
    {
        const std::size_t first = hole * ARITY + 1;
        if (first >= m_heap.size())
        {
            break;
        }
        const std::size_t end = std::min(first + ARITY, m_heap.size());
        std::size_t least = first;
        for (std::size_t child = first + 1; child < end; ++child)
        {
            if (m_heap[child].IsBefore(m_heap[least]))
            {
                least = child;
            }
        }
        if (!m_heap[least].IsBefore(entry))
        {
            break;
        }
        m_heap[hole] = m_heap[least];
        hole = least;
    }
    m_heap[hole] = entry;
}

void
FabricScheduler::RemoveAt(std::size_t index)
{
    const Entry last = m_heap.back();
    m_heap.pop_back();
    if (index == m_heap.size())
    {
        return;
    }
    if (index > 0 && last.IsBefore(m_heap[(index - 1) / ARITY]))
    {
        SiftUp(index, last);
        return;
    }
    SiftDown(index, last);
}

} // namespace ns3
