// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/message.h"

#include <cstddef>
#include <vector>

namespace nadi
{

/// The deliveries that were foretold to the messages of one sending port, in order of their Send:
/// what queue pairs keep their order by.
class SendOrder
{
  public:
    /// The last delivery of the queue pair of `message` if that is later than `enough`, else some
    /// time that is not. Looks back only as far as there are later deliveries: not at all where
    /// messages are delivered in the order in which they leave the port.
    SimTime FindLast(const Message& message, SimTime enough) const;

    /// `message` will be delivered then. Forgets what was delivered by `now`.
    void Add(const Message& message, SimTime delivered, SimTime now);

  private:
    struct Entry
    {
        RankId destination;
        StreamId stream;
        SimTime delivered;
        SimTime latest; ///< delivery of this and all before it
    };

    std::vector<Entry> m_entries;
    size_t m_first = 0; // those before it are forgotten
};

} // namespace nadi
