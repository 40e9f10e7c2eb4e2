// SPDX-License-Identifier: GPL-2.0-only
#include "system/in-network/switch-reducers.h"

#include <algorithm>

namespace nadi
{

SimTime
SwitchReducers::Reduce(VertexId at, VertexId from, SimTime delivered, Bytes size)
{
    SimTime& freeAt = m_freeAt[{at, from}];
    freeAt = std::max(freeAt, delivered) + size / m_rate;
    return freeAt;
}

} // namespace nadi
