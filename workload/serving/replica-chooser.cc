// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/replica-chooser.h"

#include "common/error.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace nadi
{

namespace
{

bool
HasDuty(ServingRole role, ServingDuty duty)
{
    return duty == ServingDuty::Prompt ? role == ServingRole::Both || role == ServingRole::Prefill
                                       : role == ServingRole::Decode;
}

/// Where only the prompt is computed, nothing of the answer is kept. The last token of an answer
/// needs no keys and values, as nothing comes after it.
uint64_t
TokensToHold(const Request& request, ServingRole role)
{
    return role == ServingRole::Prefill ? request.input : request.input + request.output - 1;
}

} // namespace

ReplicaChooser::ReplicaChooser(std::deque<InstanceState>& instances,
                               RoutingPolicy policy,
                               uint64_t seed,
                               std::string where)
    : m_instances(instances)
    , m_forPrompts(policy, seed)
    // With one seed for both, a random router would give the answer of a request to the replica of
    // the same index as that of its prompt, where both lists are equally long.
    , m_forAnswers(policy, seed + 1)
    , m_where(std::move(where))
{
}

void
ReplicaChooser::CheckRoom(const Request& request,
                          const InstanceState& state,
                          const Batcher& batcher) const
{
    if (batcher.Fits(TokensToHold(request, state.Instance().Role())))
    {
        return;
    }
    throw ConfigError(m_where,
                      fmt::format("workload.serve: request {} of {} + {} tokens needs more KV "
                                  "blocks than a replica of {} has ({} blocks of {} tokens); write "
                                  "more kv-memory, or shorter requests",
                                  request.id,
                                  request.input,
                                  request.output,
                                  state.Instance().Name(),
                                  batcher.Blocks().Total(),
                                  batcher.Blocks().TokensOfBlock()));
}

void
ReplicaChooser::Check(const Request& request)
{
    for (InstanceState& state : m_instances)
    {
        const ServingRole role = state.Instance().Role();
        // A prefill instance makes the only token of an answer of one, and nobody decodes it.
        const bool isAsked = HasDuty(role, ServingDuty::Prompt) ||
                             (HasDuty(role, ServingDuty::Answer) && request.output > 1);
        if (isAsked && state.Instance().Replicas() > 0)
        {
            // The replicas of an instance are alike.
            CheckRoom(request, state, state.BatcherOf(0));
        }
    }
}

ReplicaPlace
ReplicaChooser::Choose(const Request& request, ServingDuty duty)
{
    Router& router = duty == ServingDuty::Prompt ? m_forPrompts : m_forAnswers;
    std::vector<ReplicaPlace> places;
    std::vector<ReplicaLoad> loads;
    for (InstanceState& state : m_instances)
    {
        const ServingInstance& instance = state.Instance();
        const uint32_t replicas = HasDuty(instance.Role(), duty) ? instance.Replicas() : 0;
        for (uint32_t replica = 0; replica < replicas; ++replica)
        {
            const Batcher& batcher = state.BatcherOf(replica);
            // Every replica that may be picked is checked, so that loads do not decide whether the
            // run fails.
            CheckRoom(request, state, batcher);
            places.push_back({&instance, replica});
            // Loads take a walk over queues and caches, so they are found only for routers that
            // use them.
            loads.push_back(
                router.NeedsLoads()
                    ? ReplicaLoad{batcher.TokensAhead(), batcher.Blocks().CachedTokens(request)}
                    : ReplicaLoad{});
        }
    }
    return places[router.Pick(request, loads)];
}

} // namespace nadi
