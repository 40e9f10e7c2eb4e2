// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/router.h"

#include "common/random-numbers.h"

#include <algorithm>
#include <tuple>

namespace nadi
{

size_t
Router::Pick(const Request& request, const std::vector<ReplicaLoad>& replicas)
{
    switch (m_policy)
    {
    case RoutingPolicy::RoundRobin:
        return m_dealt++ % replicas.size();
    case RoutingPolicy::Random:
        // A stream for each id, so that no draw depends on what else was dealt out.
        return RandomNumbers(m_seed, RandomPurpose::Routes, request.id).Below(replicas.size());
    default:
        break;
    }
    const bool looksAtCache = m_policy == RoutingPolicy::Prefix;
    const auto rank = [&](const ReplicaLoad& load)
    {
        // More cached tokens come first.
        return std::tuple(looksAtCache ? ~load.cachedTokens : 0, load.tokensAhead);
    };
    const auto best = std::min_element(replicas.begin(),
                                       replicas.end(),
                                       [&](const ReplicaLoad& a, const ReplicaLoad& b)
                                       { return rank(a) < rank(b); });
    return static_cast<size_t>(best - replicas.begin());
}

} // namespace nadi
