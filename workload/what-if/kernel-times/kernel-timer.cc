// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/kernel-times/kernel-timer.h"

#include "workload/what-if/parameter-share.h"

namespace nadi
{

int64_t
KernelTimer::TimeAnew(const NodeCopy& before, const NodeCopy& after)
{
    constexpr int64_t NS = 1000;
    const bool hasOperations = before.node.operations > 0;
    const ParameterShare share{.after = hasOperations ? after.node.operations : after.node.size,
                               .before = hasOperations ? before.node.operations : before.node.size};
    if (before.node.durationPs == 0 || share.before == 0)
    {
        return before.node.durationPs;
    }
    m_hasScaled = true;
    return static_cast<int64_t>(share.Of(static_cast<uint64_t>(before.node.durationPs / NS))) * NS;
}

std::vector<std::string>
KernelTimer::Notes() const
{
    if (!m_hasScaled)
    {
        return {};
    }
    return {"Durations of kernels whose sizes change grow with their operations, or with their "
            "bytes where they have none"};
}

} // namespace nadi
