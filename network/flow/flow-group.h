// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace nadi
{

/// Messages that leave their senders at one rate, which changes now and then.
///
/// The group counts its *service*: what its rate would have done for a message that was there from
/// the beginning. A message with some work ends when the service has grown by that work. So a new
/// rate costs the same, however many messages there are.
///
/// Exact: service and work are integers (FlowScale); only an end is rounded, up to the next
/// picosecond. So it makes no difference how often a rate is set anew. Example: 100 units of work
/// at a rate of 3 end at ceil(100 / 3) = 34. If the rate becomes 6 at 10, the service is 30, and
/// the end is 10 + ceil((100 - 30) / 6) = 22.
class FlowGroup
{
  public:
    /// A message, named by its queue pair, and the service at which it has left. One that is no
    /// longer here has another `stamp` than its queue pair.
    struct Member
    {
        detail::Wide target = 0;
        uint32_t pair = 0;
        uint32_t stamp = 0;
    };

    /// From `now` on at that rate.
    void SetRate(SimTime now, uint64_t rate)
    {
        m_service = ServiceAt(now);
        m_since = now;
        m_rate = rate;
    }

    /// Requires: no rate was set after `now`.
    detail::Wide ServiceAt(SimTime now) const
    {
        return m_service + detail::Wide{m_rate} * (now - m_since).Ps();
    }

    void Add(const Member& member)
    {
        m_members.push_back(member);
        if (m_members.size() > 1)
        {
            std::push_heap(m_members.begin(), m_members.end(), EndsLater);
        }
    }

    bool IsEmpty() const
    {
        return m_members.empty();
    }

    /// The one that ends first. Requires: not empty.
    const Member& First() const
    {
        return m_members.front();
    }

    void RemoveFirst()
    {
        if (m_members.size() > 1)
        {
            std::pop_heap(m_members.begin(), m_members.end(), EndsLater);
        }
        m_members.pop_back();
    }

    /// Moves the members whose target is at most `service` into `due`, in one pass over the group.
    void TakeDue(detail::Wide service, std::vector<Member>& due)
    {
        const auto isDue = [service](const Member& member) { return member.target <= service; };
        due.clear();
        std::copy_if(m_members.begin(), m_members.end(), std::back_inserter(due), isDue);
        m_members.erase(std::remove_if(m_members.begin(), m_members.end(), isDue), m_members.end());
        std::make_heap(m_members.begin(), m_members.end(), EndsLater);
    }

    /// When the service reaches `target`, if the rate stays as it is; Max: after the end of the
    /// clock. Requires: a rate was set.
    SimTime EndOf(detail::Wide target) const
    {
        const detail::Wide left = target - m_service;
        const bool isInTime = left <= detail::Wide{SimTime::Max().Ps() - m_since.Ps()} * m_rate;
        return isInTime ? m_since + SimTime::FromPs(detail::DivideRoundingUp(left, m_rate))
                        : SimTime::Max();
    }

  private:
    static bool EndsLater(const Member& a, const Member& b)
    {
        return a.target > b.target;
    }

    std::vector<Member> m_members; // a heap
    detail::Wide m_service = 0;    // at m_since
    SimTime m_since;
    uint64_t m_rate = 0;
};

} // namespace nadi
