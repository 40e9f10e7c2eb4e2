// SPDX-License-Identifier: GPL-2.0-only
#include "system/in-network/switch-reducers.h"

#include <algorithm>

namespace nadi
{

SimTime
SwitchReducers::Reduce(VertexId at, VertexId from, SimTime delivered, Bytes size)
{
    SimTime& freeAt = m_freeAt[{at, from}];
    // A unit needs no queue: slices come in the order of their turns, so the end of each is known
    // at once.
    freeAt = std::max(freeAt, delivered) + size / m_rate;
    return freeAt;
}

} // namespace nadi
