// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/instance-state.h"

#include <algorithm>
#include <utility>

namespace nadi
{

InstanceState::InstanceState(const ServingInstance& instance,
                             const ServeOptions& options,
                             std::shared_ptr<const RankNames> names,
                             uint64_t seed)
    : m_surroundings{instance, options.layers, std::move(names)}
    , m_made(instance.Groups(), 0)
    , m_underWay(instance.Groups(), 0)
    , m_isBusy(instance.Groups() * instance.Model().pipeline, false)
{
    for (uint32_t replica = 0; replica < instance.Replicas(); ++replica)
    {
        m_batchers.emplace_back(options.batching, instance.Blocks());
    }
    if (instance.HasRouter())
    {
        m_router.emplace(MakeExpertRouter(options, instance, seed));
        m_surroundings.router = &*m_router;
        m_surroundings.counts = &m_experts;
    }
    // The end of a layer matters only where keys and values leave layer by layer.
    m_surroundings.sendsLayers = instance.Role() == ServingRole::Prefill &&
                                 options.kvTransfer.when == KvTransferOptions::When::Layer;
    m_totals.name = instance.Name();
    m_totals.role = ToText(instance.Role());
}

std::unique_ptr<Iteration>
InstanceState::MakeIteration(uint32_t group)
{
    std::vector<std::vector<BatchPart>> batches;
    bool isIdle = true;
    for (uint32_t index = 0; index < Instance().ReplicasOfGroup(); ++index)
    {
        // An idle replica steps with the others of its group, with an empty batch: its ranks hold
        // some of the experts.
        batches.push_back(ReplicaOfGroup(group, index).MakeBatch());
        isIdle = isIdle && batches.back().empty();
    }
    return isIdle ? nullptr
                  : std::make_unique<Iteration>(
                        m_surroundings, m_made[group]++, group, std::move(batches));
}

bool
InstanceState::HasPreempted(uint32_t group)
{
    bool hasPreempted = false;
    for (uint32_t index = 0; index < Instance().ReplicasOfGroup(); ++index)
    {
        hasPreempted = hasPreempted || ReplicaOfGroup(group, index).HasPreempted();
    }
    return hasPreempted;
}

bool
InstanceState::TryEnter(uint32_t group, uint32_t stage)
{
    if (!IsFree(group, stage))
    {
        return false;
    }
    m_isBusy[group * Instance().Model().pipeline + stage] = true;
    return true;
}

void
InstanceState::BeginIteration(uint32_t group, SimTime now)
{
    ++m_underWay[group];
    // An instance is busy while any of its groups has a pass under way.
    if (m_iterations++ == 0)
    {
        m_busySince = now;
    }
}

void
InstanceState::EndIteration(const Iteration& iteration, SimTime now)
{
    --m_underWay[iteration.Group()];
    if (--m_iterations == 0)
    {
        m_totals.busy += now - m_busySince;
    }
    ++m_totals.iterations;
    m_totals.tokens += iteration.Tokens();
    m_counts.Add(iteration.Counts());
}

uint64_t
InstanceState::CachedTokens() const
{
    uint64_t tokens = 0;
    for (const Batcher& batcher : m_batchers)
    {
        tokens += batcher.CachedTokens();
    }
    return tokens;
}

InstanceTotals
InstanceState::Totals(SimTime now) const
{
    InstanceTotals totals = m_totals;
    totals.busy += m_iterations > 0 ? now - m_busySince : SimTime();
    for (const Batcher& batcher : m_batchers)
    {
        totals.kvPeakBytes =
            std::max(totals.kvPeakBytes, batcher.Blocks().Peak() * Instance().BytesOfBlock());
    }
    return totals;
}

} // namespace nadi
