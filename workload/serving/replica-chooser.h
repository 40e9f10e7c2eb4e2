// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/instance-state.h"
#include "workload/serving/kv-transfer.h"
#include "workload/serving/router.h"

#include <cstdint>
#include <deque>
#include <string>

namespace nadi
{

/// What of a request a replica is to do.
enum class ServingDuty : uint8_t
{
    Prompt, ///< and, of an instance with both roles, the answer
    Answer, ///< after another instance has computed the prompt
};

/// Chooses the replica that takes a request, among all replicas of the instances with that duty.
class ReplicaChooser
{
  public:
    /// `instances` outlive it. `where`: of the configuration, for errors.
    ReplicaChooser(std::deque<InstanceState>& instances,
                   RoutingPolicy policy,
                   uint64_t seed,
                   std::string where);

    /// Throws ConfigError where one of the replicas could never hold the request.
    ReplicaPlace Choose(const Request& request, ServingDuty duty);

    /// Throws ConfigError where one of the replicas that may be chosen could never hold the
    /// request.
    void Check(const Request& request);

    Batcher& BatcherOf(const ReplicaPlace& place)
    {
        return m_instances[place.instance->Number()].BatcherOf(place.replica);
    }

  private:
    void
    CheckRoom(const Request& request, const InstanceState& state, const Batcher& batcher) const;

    std::deque<InstanceState>& m_instances;
    Router m_forPrompts;
    Router m_forAnswers;
    std::string m_where;
};

} // namespace nadi
