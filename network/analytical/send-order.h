// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/message.h"

#include <cstddef>
#include <vector>

namespace nadi
{

/// The deliveries that were foretold to the messages of one sending port, in order of their Send. A
/// queue pair delivers in the order of its sends, so a message asks here for the one before it. One
/// list for each port, instead of a record for each queue pair: entries go when they are delivered,
/// and nobody must be told when a queue pair ends.
class SendOrder
{
  public:
    /// The delivery of the last message before in the queue pair of `message`, if that is later
    /// than `enough`; else some time that is not later. Looks back only as far as there are later
    /// deliveries: not at all where messages are delivered in the order in which they leave the
    /// port.
    SimTime FindLast(const Message& message, SimTime enough) const
    {
        // Where that is all, the list stays out of the caches but for its end.
        return m_latest <= enough ? enough : FindLastIn(message, enough);
    }

    /// `message` will be delivered then. Where it must make room, it forgets what was delivered by
    /// `now`: memory is proportional to the messages in flight.
    void Add(const Message& message, SimTime delivered, SimTime now);

    /// How many messages there is room for.
    size_t Capacity() const
    {
        return m_entries.capacity();
    }

  private:
    struct Entry
    {
        VertexId destination;
        StreamId stream;
        SimTime delivered;
        SimTime latest; ///< delivery of this and all before it
    };

    SimTime FindLastIn(const Message& message, SimTime enough) const;
    void MakeRoom(SimTime now);

    std::vector<Entry> m_entries;
    SimTime m_latest; // delivery of all so far
};

} // namespace nadi
