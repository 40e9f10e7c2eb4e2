// SPDX-License-Identifier: GPL-2.0-only
#include "system/kernels/table-use.h"

namespace nadi
{

void
TableUse::Count(const KernelLaunch& kernel, const KernelTable::Answer& answer, bool isTimed)
{
    Kind& kind = m_kinds[{kernel.op, kernel.type}];
    ++(isTimed ? kind.timed : kind.left);
    // A kernel that the table has may be left, too, where its node has others that the table lacks.
    if (!answer.time && kind.problem.empty())
    {
        kind.firstLeft = kernel;
        kind.problem = answer.problem;
    }
}

uint64_t
TableUse::Timed() const
{
    uint64_t sum = 0;
    for (const auto& [key, kind] : m_kinds)
    {
        sum += kind.timed;
    }
    return sum;
}

uint64_t
TableUse::Left() const
{
    uint64_t sum = 0;
    for (const auto& [key, kind] : m_kinds)
    {
        sum += kind.left;
    }
    return sum;
}

} // namespace nadi
