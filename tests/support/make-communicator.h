// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/communicator.h"

#include <cstdint>
#include <vector>

namespace nadi
{

inline Communicator
MakeCommunicator(const std::vector<uint32_t>& ranks, uint32_t id = 0)
{
    Communicator communicator{.id = CommunicatorId{id}, .ranks = {}};
    for (const uint32_t rank : ranks)
    {
        communicator.ranks.push_back(RankId{rank});
    }
    return communicator;
}

} // namespace nadi
