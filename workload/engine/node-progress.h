// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <cstdint>
#include <limits>

namespace nadi
{

/// How far one node of one rank has come, in 8 bytes: blocked by so many others, issued at a time,
/// or done.
class NodeProgress
{
  public:
    explicit constexpr NodeProgress(uint32_t blockers)
        : m_value(-1 - int64_t{blockers})
    {
    }

    /// One thing that blocked the node is done. Returns whether it was the last.
    /// Requires: the node is blocked.
    constexpr bool Unblock()
    {
        return ++m_value == READY;
    }

    constexpr bool IsReady() const
    {
        return m_value == READY;
    }

    constexpr bool IsIssued() const
    {
        return m_value >= 0 && m_value != DONE;
    }

    constexpr bool IsDone() const
    {
        return m_value == DONE;
    }

    /// Requires: the node is ready, now >= 0.
    constexpr void Issue(SimTime now)
    {
        m_value = now.Ps();
    }

    /// When it was issued. Requires: IsIssued().
    constexpr SimTime IssuedAt() const
    {
        return SimTime::FromPs(m_value);
    }

    constexpr void Finish()
    {
        m_value = DONE;
    }

  private:
    static constexpr int64_t READY = -1;
    static constexpr int64_t DONE = std::numeric_limits<int64_t>::max();

    int64_t m_value;
};

static_assert(sizeof(NodeProgress) == 8);

} // namespace nadi
