// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/group-names.h"

#include "common/check.h"

namespace nadi
{

std::string
GroupNames::NameOf(const std::vector<uint32_t>& ranks)
{
    NADI_CHECK(!ranks.empty());
    const CommunicatorId id = m_communicators.Find(ranks);
    // Communicator 0 is that of all ranks, which has no name.
    if (id.value == 0)
    {
        return "";
    }
    std::string name = std::to_string(id.value);
    m_groups.try_emplace(name, ranks);
    return name;
}

} // namespace nadi
