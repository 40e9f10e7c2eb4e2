// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/request.h"

#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

namespace nadi
{

/// The KV blocks that one sequence has.
struct HeldBlocks
{
    uint64_t count = 0;                ///< in all
    std::vector<uint64_t> shared = {}; ///< the names of the first of them, which others may use too
};

/// The KV cache of a replica: a pool of blocks of equally many tokens.
///
/// With the prefix cache, blocks of the begin of a prompt have names (Request::NameOfBlock). A
/// block that was shared can be used by all sequences that have its name; it is kept
/// after the last of them has ended, until its place is needed. Of kept blocks, those that were let
/// go first go first, and of one sequence the last of its prompt first.
///
/// Holds: Used() <= Total(); memory is proportional to the blocks that have names.
class KvBlocks
{
  public:
    KvBlocks(uint64_t total, uint64_t tokensOfBlock, bool hasPrefixCache)
        : m_total(total)
        , m_tokensOfBlock(tokensOfBlock)
        , m_hasPrefixCache(hasPrefixCache)
    {
    }

    uint64_t Total() const
    {
        return m_total;
    }

    /// Blocks that sequences have, each once.
    uint64_t Used() const
    {
        return m_used;
    }

    /// The most that were ever used.
    uint64_t Peak() const
    {
        return m_peak;
    }

    uint64_t CountFor(uint64_t tokens) const
    {
        return (tokens + m_tokensOfBlock - 1) / m_tokensOfBlock;
    }

    uint64_t TokensOfBlock() const
    {
        return m_tokensOfBlock;
    }

    /// How many tokens of the prompt's begin are cached: whole blocks, and at least one token of
    /// the prompt is left to be computed.
    uint64_t CachedTokens(const Request& request) const;

    /// Takes the cached blocks of the prompt's begin and new ones, for `tokens` in all. Returns
    /// whether there was room; else nothing has changed. Requires: `held` is empty.
    bool TryBegin(const Request& request, uint64_t tokens, HeldBlocks& held);

    /// Takes more blocks, for `tokens` in all. Returns whether there was room.
    bool TryGrow(uint64_t tokens, HeldBlocks& held);

    /// The first `tokens` of the prompt are computed, or will be before anybody reads them: blocks
    /// that are full of them can be used by others from now on.
    void Share(const Request& request, uint64_t tokens, HeldBlocks& held);

    /// Gives all back.
    void Free(HeldBlocks& held);

  private:
    struct Named
    {
        uint64_t users = 0;
        std::list<uint64_t>::iterator place; ///< in m_kept; of blocks without users
    };

    uint64_t CountCached(const Request& request) const;
    bool HasRoomFor(uint64_t blocks) const;
    void Take(uint64_t blocks);

    uint64_t m_total;
    uint64_t m_tokensOfBlock;
    bool m_hasPrefixCache;
    uint64_t m_used = 0;
    uint64_t m_peak = 0;
    std::unordered_map<uint64_t, Named> m_named;
    std::list<uint64_t> m_kept; // names of blocks that nobody uses, the next to go first
};

} // namespace nadi
