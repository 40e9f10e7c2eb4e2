// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <atomic>
#include <cstdint>

namespace nadi
{

/// How far a long piece of work is: written by who works, read by who shows it, from another
/// thread.
struct WorkProgress
{
    std::atomic<uint32_t> done = 0;
    std::atomic<uint32_t> total = 0; ///< 0: not known

    /// As the next piece of work begins. Order: a reader never sees more done than there is.
    void Begin(uint32_t count)
    {
        done = 0;
        total = count;
    }
};

} // namespace nadi
