// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/replica-chooser.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

ReplicaChooser::ReplicaChooser(RoutingPolicy policy, uint64_t seed, std::string where)
    : m_forPrompts{Router(policy, seed)}
    // With one seed for both, a random router would give the answer of a request to the replica of
    // the same index as that of its prompt, where both lists are equally long.
    , m_forAnswers{Router(policy, seed + 1)}
    , m_where(std::move(where))
{
}

void
ReplicaChooser::Add(InstanceState& state)
{
    const ServingInstance& instance = state.Instance();
    for (uint32_t replica = 0; replica < instance.Replicas(); ++replica)
    {
        const Candidate candidate{{&instance, replica}, &state.BatcherOf(replica)};
        if (HasDuty(instance.Role(), ServingDuty::Prompt))
        {
            m_forPrompts.replicas.push_back(candidate);
        }
        if (HasDuty(instance.Role(), ServingDuty::Answer))
        {
            m_forAnswers.replicas.push_back(candidate);
        }
        // Instances by the thousand are of few kinds, so that a request is held against few.
        const Kind kind{&instance, candidate.batcher};
        if (std::none_of(m_kinds.begin(),
                         m_kinds.end(),
                         [&](const Kind& other) { return AreAlike(kind, other); }))
        {
            m_kinds.push_back(kind);
        }
    }
}

bool
ReplicaChooser::AreAlike(const Kind& kind, const Kind& other)
{
    return kind.instance->Role() == other.instance->Role() &&
           kind.batcher->Blocks().Total() == other.batcher->Blocks().Total();
}

void
ReplicaChooser::CheckRoom(const Request& request, const Kind& kind) const
{
    if (kind.batcher->Fits(TokensToHold(request, kind.instance->Role())))
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
                                  kind.instance->Name(),
                                  kind.batcher->Blocks().Total(),
                                  kind.batcher->Blocks().TokensOfBlock()));
}

void
ReplicaChooser::Check(const Request& request) const
{
    for (const Kind& kind : m_kinds)
    {
        const ServingRole role = kind.instance->Role();
        // A prefill instance makes the only token of an answer of one, and nobody decodes it.
        if (HasDuty(role, ServingDuty::Prompt) ||
            (HasDuty(role, ServingDuty::Answer) && request.output > 1))
        {
            CheckRoom(request, kind);
        }
    }
}

ReplicaPlace
ReplicaChooser::Choose(const Request& request, ServingDuty duty)
{
    // Every replica that may be picked is checked, so that loads do not decide whether the run
    // fails.
    for (const Kind& kind : m_kinds)
    {
        if (HasDuty(kind.instance->Role(), duty))
        {
            CheckRoom(request, kind);
        }
    }
    auto& [router, replicas] = duty == ServingDuty::Prompt ? m_forPrompts : m_forAnswers;
    std::vector<ReplicaLoad> loads(replicas.size());
    // Loads take a walk over caches, so they are found only for routers that use them.
    for (size_t index = 0; router.NeedsLoads() && index < replicas.size(); ++index)
    {
        const Batcher& batcher = *replicas[index].batcher;
        loads[index] = {batcher.TokensAhead(), batcher.Blocks().CachedTokens(request)};
    }
    return replicas[router.Pick(request, loads)].place;
}

} // namespace nadi
