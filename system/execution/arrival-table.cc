// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/arrival-table.h"

namespace nadi
{

std::optional<uint64_t>
ArrivalTable::TakeOrLeave(const MessageName& name, uint64_t word)
{
    // The table grows before the search, so that the empty slot which ends the search is the place
    // for the name. The table is at most half full, so there is always such a slot, and runs of
    // full slots are short.
    if (2 * (Size() + 1) > m_slots.size())
    {
        Grow();
    }
    const uint32_t hash = HashOf(name);
    const size_t mask = m_slots.size() - 1;
    size_t at = hash & mask;
    for (; m_slots[at].entry != EMPTY; at = (at + 1) & mask)
    {
        const Slot slot = m_slots[at];
        if (slot.hash == hash && m_entries[slot.entry].name == name)
        {
            const uint64_t left = m_entries[slot.entry].word;
            m_entries.Free(slot.entry);
            RemoveAt(at);
            return left;
        }
    }
    const uint32_t entry = m_entries.Claim();
    m_entries[entry].name = name;
    m_entries[entry].word = word;
    m_slots[at] = {hash, entry};
    return std::nullopt;
}

/// Names differ mostly in fields that count up (rank, step, chunk), which a plain sum would cancel;
/// odd multipliers keep them apart. The last product carries all of them into the high bits, which
/// are the best mixed, so the hash is made of those. A search begins at its low bits.
uint32_t
ArrivalTable::HashOf(const MessageName& name)
{
    const uint64_t ends = uint64_t{name.source.value} << 32 | name.destination.value;
    const uint64_t folded = name.stream.value * 0xd6e8feb86659fd93U +
                            name.key.major * 0xa0761d6478bd642fU +
                            name.key.minor * 0xe7037ed1a0b428dbU + ends * 0x8ebc6af09c88c6e3U;
    return static_cast<uint32_t>((folded ^ folded >> 29) * 0x9e3779b97f4a7c15U >> 32);
}

/// The slot at which the search for a name ends that is not there.
size_t
ArrivalTable::FindEmpty(uint32_t hash) const
{
    const size_t mask = m_slots.size() - 1;
    size_t at = hash & mask;
    while (m_slots[at].entry != EMPTY)
    {
        at = (at + 1) & mask;
    }
    return at;
}

void
ArrivalTable::Grow()
{
    constexpr size_t FIRST_SIZE = 64;
    std::vector<Slot> old(m_slots.empty() ? FIRST_SIZE : 2 * m_slots.size());
    old.swap(m_slots);
    for (const Slot& slot : old)
    {
        if (slot.entry != EMPTY)
        {
            // The slot stores the hash, so the entry with the name need not be fetched.
            m_slots[FindEmpty(slot.hash)] = slot;
        }
    }
}

/// Empties a slot. A search ends at the first empty slot, so later entries of the run that would no
/// longer be reached from their home are moved up. (This is instead of marks for deleted entries,
/// which would fill the table, as every entry is deleted soon.)
void
ArrivalTable::RemoveAt(size_t hole)
{
    const size_t mask = m_slots.size() - 1;
    for (size_t at = (hole + 1) & mask; m_slots[at].entry != EMPTY; at = (at + 1) & mask)
    {
        const size_t home = m_slots[at].hash & mask;
        // The distance of the entry from its home is at least that from the hole: the hole lies on
        // its way.
        if (((at - home) & mask) >= ((at - hole) & mask))
        {
            m_slots[hole] = m_slots[at];
            hole = at;
        }
    }
    m_slots[hole] = {};
}

} // namespace nadi
