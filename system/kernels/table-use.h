// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/kernels/kernel-launch.h"
#include "system/kernels/kernel-table.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace nadi
{

/// What a table of kernels timed, and what it left to the roofline.
class TableUse
{
  public:
    /// The kernels of one op and type.
    struct Kind
    {
        uint64_t timed = 0;
        uint64_t left = 0;
        KernelLaunch firstLeft; ///< if any is left
        std::string problem;    ///< why the table has no time for it (KernelTable::Answer)
    };

    /// Counts a kernel, for which the table has this answer. `isTimed`: the answer was used.
    void Count(const KernelLaunch& kernel, const KernelTable::Answer& answer, bool isTimed);

    /// Counts a compute node that names no kernel.
    void CountNameless()
    {
        ++m_nameless;
    }

    const std::map<std::pair<KernelOp, NumberType>, Kind>& Kinds() const
    {
        return m_kinds;
    }

    /// Compute nodes that name no kernel.
    uint64_t Nameless() const
    {
        return m_nameless;
    }

    /// Kernels of all kinds, timed and left.
    uint64_t Timed() const;
    uint64_t Left() const;

  private:
    std::map<std::pair<KernelOp, NumberType>, Kind> m_kinds;
    uint64_t m_nameless = 0;
};

} // namespace nadi
