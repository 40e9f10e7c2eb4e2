// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/instance-state.h"
#include "workload/serving/kv-transfer.h"

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>

namespace nadi
{

/// The groups of replicas that the next decision looks at: something has happened to them since one
/// that could do nothing for them. So a decision takes no time for instances that only wait.
class ChangedGroups
{
  public:
    /// The groups of each instance, both by their numbers.
    using Groups = std::map<uint32_t, std::set<uint32_t>>;

    /// `instances` outlive it.
    explicit ChangedGroups(std::deque<InstanceState>& instances)
        : m_instances(instances)
    {
    }

    /// A stage of the group is free, or a batch of it has ended.
    void Add(const ServingInstance& instance, uint32_t group)
    {
        m_groups[instance.Number()].insert(group);
    }

    /// The batcher of the replica, to be changed.
    Batcher& Change(const ReplicaPlace& place)
    {
        Add(*place.instance, place.replica / place.instance->ReplicasOfGroup());
        return m_instances[place.instance->Number()].BatcherOf(place.replica);
    }

    /// A copy, since more may change while it is gone through.
    Groups All() const
    {
        return m_groups;
    }

    /// All of them; from now on none has changed.
    Groups Take()
    {
        return std::exchange(m_groups, {});
    }

  private:
    std::deque<InstanceState>& m_instances;
    Groups m_groups;
};

} // namespace nadi
