// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/kv-blocks.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

// Blocks are counted and have no addresses, since nobody reads what is in them. Only those with
// names have entries. m_used counts the blocks that sequences have, m_kept lists named blocks that
// no sequence has. Take() drops kept ones, so that both together never exceed the total.
uint64_t
KvBlocks::CountCached(const Request& request) const
{
    if (!m_hasPrefixCache)
    {
        return 0;
    }
    // At least the last token of the prompt is computed, as the first token of the answer comes of
    // it.
    const uint64_t most = (request.input - 1) / m_tokensOfBlock;
    uint64_t cached = 0;
    while (cached < most)
    {
        const std::optional<uint64_t> name = request.NameOfBlock(cached, m_tokensOfBlock);
        // The name of a block stands for all before it, so what comes after a gap is of no use.
        if (!name || !m_named.contains(*name))
        {
            break;
        }
        ++cached;
    }
    return cached;
}

uint64_t
KvBlocks::CachedTokens(const Request& request) const
{
    return CountCached(request) * m_tokensOfBlock;
}

/// Kept blocks count as free: they go when their place is needed.
bool
KvBlocks::HasRoomFor(uint64_t blocks) const
{
    return blocks <= m_total - m_used;
}

/// Requires: there is room.
void
KvBlocks::Take(uint64_t blocks)
{
    m_used += blocks;
    m_peak = std::max(m_peak, m_used);
    while (m_used + m_kept.size() > m_total)
    {
        m_named.erase(m_kept.front());
        m_kept.pop_front();
    }
}

bool
KvBlocks::TryBegin(const Request& request, uint64_t tokens, HeldBlocks& held)
{
    NADI_CHECK(held.count == 0);
    const uint64_t cached = CountCached(request);
    const uint64_t count = std::max(CountFor(tokens), cached);
    uint64_t unused = 0; // of the cached ones: nobody uses them, so that they take room too
    for (uint64_t index = 0; index < cached; ++index)
    {
        const uint64_t name = request.NameOfBlock(index, m_tokensOfBlock).value();
        unused += m_named.at(name).users == 0 ? 1 : 0;
    }
    if (!HasRoomFor(count - cached + unused))
    {
        return false;
    }
    for (uint64_t index = 0; index < cached; ++index)
    {
        const uint64_t name = request.NameOfBlock(index, m_tokensOfBlock).value();
        Named& named = m_named.at(name);
        if (named.users++ == 0)
        {
            // Taken out before Take looks for kept blocks that can go.
            m_kept.erase(named.place);
        }
        held.shared.push_back(name);
    }
    Take(count - cached + unused);
    held.count = count;
    return true;
}

bool
KvBlocks::TryGrow(uint64_t tokens, HeldBlocks& held)
{
    const uint64_t count = CountFor(tokens);
    if (count <= held.count)
    {
        return true;
    }
    if (!HasRoomFor(count - held.count))
    {
        return false;
    }
    // Without names, until it is said what is computed of them (Share).
    Take(count - held.count);
    held.count = count;
    return true;
}

void
KvBlocks::Share(const Request& request, uint64_t tokens, HeldBlocks& held)
{
    if (!m_hasPrefixCache)
    {
        return;
    }
    const uint64_t full = std::min(tokens / m_tokensOfBlock, held.count);
    for (uint64_t index = held.shared.size(); index < full; ++index)
    {
        const std::optional<uint64_t> name = request.NameOfBlock(index, m_tokensOfBlock);
        // Where another sequence has computed the same meanwhile, this one keeps its own copy.
        if (!name || !m_named.try_emplace(*name, Named{.users = 1, .place = {}}).second)
        {
            break;
        }
        held.shared.push_back(*name);
    }
}

void
KvBlocks::Free(HeldBlocks& held)
{
    m_used -= held.count - held.shared.size();
    // From the last one on, so that it goes first: a block can be used only together with all
    // before it.
    for (auto name = held.shared.rbegin(); name != held.shared.rend(); ++name)
    {
        Named& named = m_named.at(*name);
        if (--named.users == 0)
        {
            --m_used;
            named.place = m_kept.insert(m_kept.end(), *name);
        }
    }
    held = {};
}

} // namespace nadi
