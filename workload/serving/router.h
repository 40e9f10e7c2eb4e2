// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/request.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nadi
{

/// Which replica takes a request; `workload.serve.router`.
enum class RoutingPolicy : uint8_t
{
    RoundRobin,  ///< one after the other
    Random,      ///< drawn by the seed and the request
    LeastLoaded, ///< that with the fewest tokens to compute (Batcher::TokensAhead)
    Prefix, ///< that with the most tokens of the prompt in its cache; of equals the least loaded
};

/// What a router sees of a replica.
struct ReplicaLoad
{
    uint64_t tokensAhead = 0;
    uint64_t cachedTokens = 0; ///< of the request's prompt
};

/// Deals requests out. Of equal replicas the first one takes it.
class Router
{
  public:
    Router(RoutingPolicy policy, uint64_t seed)
        : m_policy(policy)
        , m_seed(seed)
    {
    }

    /// Whether Pick looks at the loads.
    bool NeedsLoads() const
    {
        return m_policy == RoutingPolicy::LeastLoaded || m_policy == RoutingPolicy::Prefix;
    }

    /// The index of the replica that takes the request. Requires: there is one; requests come in
    /// the order in which they are dealt out.
    size_t Pick(const Request& request, const std::vector<ReplicaLoad>& replicas);

  private:
    RoutingPolicy m_policy;
    uint64_t m_seed;
    uint64_t m_dealt = 0;
};

} // namespace nadi
