// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/hash.h"
#include "common/units.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace nadi
{

/// What a user asks of a serving cluster: a prompt, and tokens to be made of it.
struct Request
{
    uint64_t id = 0; ///< from 0, in the order of arrival
    SimTime arrival = {};
    uint64_t input = 1;        ///< tokens of the prompt, at least 1
    uint64_t output = 1;       ///< tokens to be made, at least 1
    uint64_t prefixGroup = 0;  ///< requests of one group have their first `prefixTokens` in common
    uint64_t prefixTokens = 0; ///< 0: it shares nothing
    uint64_t session = 0;      ///< of sources whose next request waits for the end of this one
    /// Of recorded requests that say what they share: names of blocks of `hashedTokens` tokens,
    /// each for the block and all before it. Null: prefixGroup says it.
    std::shared_ptr<const std::vector<uint64_t>> hashIds = nullptr;
    uint64_t hashedTokens = 512;

    /// Whether it says what other prompts have in common with its own.
    bool NamesItsPrefix() const
    {
        return hashIds != nullptr || prefixTokens > 0;
    }

    /// Names the index-th block of `blockTokens` tokens of the prompt, and all before it: equal
    /// for requests that share them. None: no other request has it.
    std::optional<uint64_t> NameOfBlock(uint64_t index, uint64_t blockTokens) const
    {
        const uint64_t end = (index + 1) * blockTokens;
        if (hashIds != nullptr)
        {
            const uint64_t hashed = (end - 1) / hashedTokens;
            return end > input || hashed >= hashIds->size()
                       ? std::nullopt
                       : std::optional(Hash64({(*hashIds)[hashed], index}));
        }
        return end > prefixTokens || end > input ? std::nullopt
                                                 : std::optional(Hash64({prefixGroup, index}));
    }
};

} // namespace nadi
