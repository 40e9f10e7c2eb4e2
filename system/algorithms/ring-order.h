// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"

#include <cstdint>

namespace nadi
{

/// Which way data moves around a ring.
enum class RingDirection : uint8_t
{
    Forward,
    Backward,
};

/// The members of a group as places 0..p-1 on a ring that data passes in ascending order.
///
/// Folded, six members have the order 0, 2, 4, 5, 3, 1: on a line of NPUs, no two neighbours of the
/// ring are more than two links apart, where the plain order would have one step over the whole
/// line.
///
/// Holds: MemberAt(PlaceOf(m)) = m. Backward visits the same ring the other way round, from the
/// same place 0.
class RingOrder
{
  public:
    RingOrder(uint32_t size, LineOrder line, RingDirection direction)
        : m_size(size)
        , m_line(line)
        , m_direction(direction)
    {
    }

    uint32_t Size() const
    {
        return m_size;
    }

    RingOrder Reversed() const
    {
        const bool isForward = m_direction == RingDirection::Forward;
        return {m_size, m_line, isForward ? RingDirection::Backward : RingDirection::Forward};
    }

    uint32_t MemberAt(uint32_t place) const
    {
        const uint32_t forward = Turned(place);
        if (m_line == LineOrder::Cycle)
        {
            return forward;
        }
        const bool isOnWayOut = forward < (m_size + 1) / 2;
        return isOnWayOut ? 2 * forward : 2 * (m_size - forward) - 1;
    }

    uint32_t PlaceOf(uint32_t member) const
    {
        if (m_line == LineOrder::Cycle)
        {
            return Turned(member);
        }
        const bool isOnWayOut = member % 2 == 0;
        return Turned(isOnWayOut ? member / 2 : m_size - (member + 1) / 2);
    }

    /// The member `hops` places after `member`. Requires: hops <= p.
    uint32_t Ahead(uint32_t member, uint32_t hops) const
    {
        return MemberAt(Wrapped(PlaceOf(member) + hops));
    }

    /// The member `hops` places before `member`. Requires: hops <= p.
    uint32_t Behind(uint32_t member, uint32_t hops) const
    {
        return MemberAt(Wrapped(PlaceOf(member) + m_size - hops));
    }

  private:
    uint32_t Turned(uint32_t place) const
    {
        return m_direction == RingDirection::Forward ? place : Wrapped(m_size - place);
    }

    /// `place` modulo p, of what is less than 2 p: each step of a ring asks for several, and a
    /// division takes longer than the rest.
    uint32_t Wrapped(uint32_t place) const
    {
        return place < m_size ? place : place - m_size;
    }

    uint32_t m_size;
    LineOrder m_line;
    RingDirection m_direction;
};

} // namespace nadi
