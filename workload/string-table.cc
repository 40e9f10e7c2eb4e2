// SPDX-License-Identifier: GPL-2.0-only
#include "workload/string-table.h"

#include <functional>
#include <utility>

namespace nadi
{

namespace
{

constexpr size_t FIRST_SLOTS = 64;

uint32_t
HashOf(std::string_view text)
{
    const size_t hash = std::hash<std::string_view>{}(text);
    // Half of the hash is enough to tell most strings apart, and keeps a slot at 8 bytes.
    return static_cast<uint32_t>(hash ^ (hash >> 32));
}

} // namespace

StringTable::StringTable()
    : m_slots(FIRST_SLOTS)
{
}

uint32_t
StringTable::Intern(std::string_view text)
{
    // Half of the slots stay free: searches are short, and each of them ends at a free slot at the
    // latest.
    if (2 * (m_strings.size() + 1) > m_slots.size())
    {
        Grow();
    }
    const uint32_t hash = HashOf(text);
    Slot& slot = m_slots[FindSlot(text, hash)];
    if (slot.indexPlusOne == 0)
    {
        m_strings.emplace_back(text);
        slot = {hash, static_cast<uint32_t>(m_strings.size())};
    }
    return slot.indexPlusOne - 1;
}

std::vector<std::string>
StringTable::Take()
{
    m_slots.assign(FIRST_SLOTS, {});
    return std::exchange(m_strings, {});
}

// The slot of the text, or the free one where it belongs. Hashes are compared first, which spares
// most comparisons of strings.
size_t
StringTable::FindSlot(std::string_view text, uint32_t hash) const
{
    const size_t mask = m_slots.size() - 1;
    size_t at = hash & mask;
    while (m_slots[at].indexPlusOne != 0 &&
           (m_slots[at].hash != hash || m_strings[m_slots[at].indexPlusOne - 1] != text))
    {
        at = (at + 1) & mask;
    }
    return at;
}

void
StringTable::Grow()
{
    // The stored hashes are enough to place the entries again: all strings differ, so none is
    // compared.
    std::vector<Slot> old(2 * m_slots.size());
    old.swap(m_slots);
    const size_t mask = m_slots.size() - 1;
    for (const Slot& slot : old)
    {
        size_t at = slot.hash & mask;
        while (slot.indexPlusOne != 0 && m_slots[at].indexPlusOne != 0)
        {
            at = (at + 1) & mask;
        }
        if (slot.indexPlusOne != 0)
        {
            m_slots[at] = slot;
        }
    }
}

} // namespace nadi
