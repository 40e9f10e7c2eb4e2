// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>

namespace nadi
{

/// Forward passes in which something was not as the user may think; warnings tell of them.
struct PassCounts
{
    uint64_t passes = 0;

    /// Passes of which only some layers are simulated, which communicate; and those of them with
    /// keys and values on their way meanwhile, whose disturbance counts for all layers.
    uint64_t standingIn = 0;
    uint64_t disturbed = 0;

    /// Where a file says which experts tokens go to, pass by pass: passes for which it did not say,
    /// or spoke of other numbers of tokens, on some rank.
    uint64_t drawn = 0;

    /// Passes with prompts in fewer requests than there are micro-batches.
    uint64_t uncut = 0;

    void Add(const PassCounts& other)
    {
        passes += other.passes;
        standingIn += other.standingIn;
        disturbed += other.disturbed;
        drawn += other.drawn;
        uncut += other.uncut;
    }
};

} // namespace nadi
