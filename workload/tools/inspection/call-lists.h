// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/inspection/checked-job.h"

#include <cstdint>
#include <map>
#include <vector>

namespace nadi
{

/// Which nodes call the collectives of each communicator, or access remote memory together with it,
/// by member. Members that are not sound and callers that are no members are left out.
class CallLists
{
  public:
    /// By rank: the nodes in the order in which the rank calls; the k-th meets the k-th of others.
    using Calls = std::map<uint32_t, std::vector<uint32_t>>;

    enum class Kind : uint8_t
    {
        Collective,
        Access,
    };

    CallLists(const CheckedJob& job, Kind kind);

    /// Those of communicators of which there is a call at all.
    const std::map<CommunicatorId, Calls>& All() const
    {
        return m_calls;
    }

  private:
    std::map<CommunicatorId, Calls> m_calls;
};

} // namespace nadi
