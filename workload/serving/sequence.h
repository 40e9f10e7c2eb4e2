// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/kv-blocks.h"
#include "workload/serving/request.h"

#include <cstdint>

namespace nadi
{

/// A request on its way through a replica.
struct Sequence
{
    Request request;
    uint64_t computed = 0;    ///< tokens whose keys and values the replica has, or gets
    uint64_t generated = 0;   ///< tokens of the answer so far
    uint64_t scheduled = 0;   ///< tokens in a batch that has not ended; 0: it is in none
    uint64_t preemptions = 0; ///< how often it lost its blocks
    HeldBlocks blocks;

    /// Tokens whose keys and values are needed for the next token of the answer.
    uint64_t Wanted() const
    {
        return request.input + generated;
    }

    /// Of these, the tokens that are still to be computed.
    uint64_t TokensAhead() const
    {
        return Wanted() - computed;
    }
};

/// What a batch computes of a sequence.
struct BatchPart
{
    Sequence* sequence = nullptr;
    uint64_t tokens = 0;     ///< new ones
    uint64_t context = 0;    ///< tokens before them, whose keys and values are there
    bool makesToken = false; ///< the last of the tokens wanted is among them

    bool operator==(const BatchPart&) const = default;
};

} // namespace nadi
