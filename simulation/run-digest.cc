// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/run-digest.h"

namespace nadi
{

namespace
{

/// The first word of a record, so that a node and a message with equal numbers are different
/// records.
///
/// The order of the words of a record is part of the fingerprint: whoever changes it changes every
/// digest that was kept.
enum RecordKind : uint64_t
{
    NODE = 1,
    MESSAGE = 2,
    LINK = 3,
};

uint64_t
Word(SimTime time)
{
    return static_cast<uint64_t>(time.Ps());
}

uint64_t
Word(Bytes size)
{
    return static_cast<uint64_t>(size.Count());
}

} // namespace

void
RunDigest::AddNode(RankId rank, NodeId node, SimTime start, SimTime end)
{
    m_sum.Add({NODE, rank.value, node.value, Word(start), Word(end)});
}

/// Stream and key hold communicator, call, chunk, phase, lane and tag (MessageKey).
void
RunDigest::AddMessage(const Delivery& delivery)
{
    const Message& message = delivery.message;
    m_sum.Add({MESSAGE,
               message.stream.value,
               message.key.major,
               message.key.minor,
               message.source.value,
               message.destination.value,
               Word(delivery.delivered)});
}

void
RunDigest::AddLink(LinkId link, const LinkCounters& counters)
{
    m_sum.Add({LINK,
               link.value,
               Word(counters.bytes),
               counters.packets,
               Word(counters.maxQueue),
               counters.ecnMarks,
               counters.pauses,
               Word(counters.paused),
               counters.drops,
               Word(counters.retransmitted)});
}

} // namespace nadi
