// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/flow/flow-group.h"
#include "network/flow/group-agenda.h"

#include <cstdint>
#include <span>
#include <vector>

namespace nadi
{

/// When messages have left their senders: each queue pair with a message is in a group, whose rate
/// it has.
///
/// Work and rates are in the units of FlowScale. Queue pairs and groups have small numbers. All
/// instants given are the present one, which never goes back.
class FlowDrains
{
  public:
    explicit FlowDrains(uint32_t groups)
        : m_groups(groups)
        , m_agenda(groups)
    {
    }

    /// From `now` on. Requires: UpdateEnd follows within the instant, when messages have moved.
    void SetRate(SimTime now, uint32_t group, uint64_t rate)
    {
        m_groups[group].SetRate(now, rate);
    }

    /// After the rate of the group has changed. An end that comes later than the entry in the
    /// agenda waits for that to come, which spares its computation.
    void UpdateEnd(uint32_t group);

    /// The message of the queue pair, which has none under way, has that much work to do.
    void Start(SimTime now, uint32_t pair, uint32_t group, detail::Wide work);

    /// The message of the queue pair goes on with the rate of another group.
    void Move(SimTime now, uint32_t pair, uint32_t before, uint32_t after);

    /// Work of the message of the queue pair that is left. Requires: it is in the group.
    detail::Wide LeftAt(SimTime now, uint32_t pair, uint32_t group) const;

    /// No message has an end within the clock's range.
    bool IsEmpty() const
    {
        return m_agenda.IsEmpty();
    }

    /// When to take next what has left; it may be that nothing has. Requires: not empty.
    SimTime Next() const
    {
        return m_agenda.Next();
    }

    /// Takes out the messages that have left by `now`: for each, onLeft(pair) tells the work of the
    /// next message of the queue pair, which then starts in the same group; 0: there is none.
    template <class Visitor>
    void TakeLeft(SimTime now, const Visitor& onLeft)
    {
        const std::span<const uint32_t> dueGroups = m_agenda.FindDue(now);
        for (const uint32_t group : dueGroups)
        {
            TakeLeftOf(m_groups[group], now, onLeft);
        }
        for (auto group = dueGroups.rbegin(); group != dueGroups.rend(); ++group)
        {
            QueueEnd(*group);
        }
    }

  private:
    using Member = FlowGroup::Member;

    struct Drain
    {
        detail::Wide target = 0; ///< the service of the group at which the message has left
        uint32_t stamp = 0;      ///< of its present membership of a group
    };

    /// The end of the first of the group is due, or was when its rate was higher.
    template <class Visitor>
    void TakeLeftOf(FlowGroup& due, SimTime now, const Visitor& onLeft)
    {
        constexpr uint32_t FEW = 4;
        const detail::Wide service = due.ServiceAt(now);
        for (uint32_t one = 0; !due.IsEmpty() && due.First().target <= service; ++one)
        {
            if (one == FEW)
            {
                TakeManyOf(due, service, onLeft);
                return;
            }
            const Member first = due.First();
            due.RemoveFirst();
            TakeMember(due, first, service, onLeft);
        }
    }

    /// Many end at once: one pass over the group is less than a search for each.
    template <class Visitor>
    void TakeManyOf(FlowGroup& due, detail::Wide service, const Visitor& onLeft)
    {
        due.TakeDue(service, m_dueMembers);
        for (const Member& member : m_dueMembers)
        {
            TakeMember(due, member, service, onLeft);
        }
    }

    /// A next message takes all its work along if the flow changes its group at this same instant.
    template <class Visitor>
    void
    TakeMember(FlowGroup& due, const Member& member, detail::Wide service, const Visitor& onLeft)
    {
        if (IsStale(member))
        {
            return;
        }
        const detail::Wide next = onLeft(member.pair);
        if (next > 0)
        {
            Join(due, member.pair, service + next);
        }
    }

    bool IsStale(const Member& member) const
    {
        return m_drains[member.pair].stamp != member.stamp;
    }

    void Join(FlowGroup& group, uint32_t pair, detail::Wide target)
    {
        Drain& drain = m_drains[pair];
        drain.target = target;
        group.Add({target, pair, ++drain.stamp});
    }

    void Enter(uint32_t group, uint32_t pair, detail::Wide target);
    void QueueEnd(uint32_t group);

    std::vector<FlowGroup> m_groups;
    std::vector<Drain> m_drains;      // by queue pair
    GroupAgenda m_agenda;             // when the first of a group has left, or sooner
    std::vector<Member> m_dueMembers; // scratch
};

} // namespace nadi
