// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/iteration.h"

#include "system/collective-plan.h"
#include "workload/serving/apart-stage.h"
#include "workload/serving/message-episode.h"

#include <algorithm>
#include <utility>

namespace nadi
{

// Example: two stages of 20 layers, and two layers of each stage are simulated in full. The
// episodes are the layers 18 and 19; a delay of 18 times their mean time, with the embedding; the
// activations to the second stage; the layers 38 and 39; and a delay for the others, with the head.
Iteration::Iteration(const Surroundings& surroundings,
                     uint64_t number,
                     uint32_t group,
                     std::vector<std::vector<BatchPart>> batches)
    : m_surroundings(surroundings)
    , m_number(number)
    , m_group(group)
    , m_batches(std::move(batches))
{
    for (const std::vector<BatchPart>& batch : m_batches)
    {
        PassBatch& sum = m_sums.emplace_back();
        for (const BatchPart& part : batch)
        {
            sum.Add(part.tokens, part.context, part.makesToken);
        }
    }
}

uint64_t
Iteration::Tokens() const
{
    uint64_t tokens = 0;
    for (const PassBatch& sum : m_sums)
    {
        tokens += sum.tokens;
    }
    return tokens;
}

uint64_t
Iteration::LayersInFull() const
{
    const uint64_t layers = m_surroundings.instance.Model().LayersOf(m_stage);
    return std::min(layers, m_surroundings.layers.value_or(layers));
}

bool
Iteration::IsWhole() const
{
    return LayersInFull() == m_surroundings.instance.Model().LayersOf(m_stage);
}

/// Whether embedding and head are in the episode of the layers. Else MakeRest takes them, since
/// they would lengthen the mean time of a layer.
bool
Iteration::HasAllBesidesLayers() const
{
    return IsWhole() || m_surroundings.instance.IsAttention();
}

/// Besides keys and values that leave, the time that the last layer adds is found by the end of the
/// one before.
bool
Iteration::TellsLayers() const
{
    return SendsLayers() || (m_surroundings.instance.IsAttention() && !IsWhole());
}

bool
Iteration::IsLastStage() const
{
    return m_stage + 1 == m_surroundings.instance.Model().pipeline;
}

Episode
Iteration::Next(SimTime now)
{
    switch (m_phase)
    {
    case Phase::Layers:
        m_begun = now;
        m_standsIn = m_standsIn || StandingInSince().has_value();
        return MakeStage();
    case Phase::Rest:
        return MakeRest(now);
    case Phase::Handover:
        break;
    }
    return MakeHandover();
}

void
Iteration::EndLayer(uint64_t layer, SimTime now)
{
    // Of several ranks, the last one to come stays.
    const uint64_t onePast = m_surroundings.instance.Model().FirstLayer(m_stage + 1);
    if (m_phase == Phase::Layers && layer + 2 == onePast)
    {
        m_lastButOneEnd = now;
    }
    if (m_phase == Phase::Layers && layer + 1 == onePast)
    {
        m_lastEnd = now;
    }
}

bool
Iteration::Communicates() const
{
    const ForwardModel& model = m_surroundings.instance.Model();
    return model.tensor > 1 || model.expert > 1 || m_surroundings.instance.IsAttention();
}

std::optional<SimTime>
Iteration::StandingInSince() const
{
    const bool standsIn = m_phase == Phase::Layers && !IsWhole() && Communicates();
    return standsIn ? std::optional(m_begun) : std::nullopt;
}

/// A request goes to one micro-batch as a whole, so a prompt may leave others without work.
bool
Iteration::HasUncutPrompts() const
{
    if (!m_surroundings.instance.IsAttention())
    {
        return false;
    }
    const uint32_t microBatches = m_surroundings.instance.MicroBatches();
    return std::ranges::any_of(m_batches,
                               [microBatches](const std::vector<BatchPart>& batch)
                               {
                                   return batch.size() < microBatches &&
                                          std::ranges::any_of(batch,
                                                              [](const BatchPart& part)
                                                              { return part.tokens > 1; });
                               });
}

PassCounts
Iteration::Counts() const
{
    return {.passes = 1,
            .standingIn = m_standsIn ? 1U : 0U,
            .disturbed = m_isDisturbed ? 1U : 0U,
            .drawn = m_isDrawn ? 1U : 0U,
            .uncut = HasUncutPrompts() ? 1U : 0U};
}

// A stage goes through these phases: its layers; the rest, where not all layers are simulated; the
// handover, where another stage follows. The stage is left before the handover, so that activations
// travel while it computes the next batch.
void
Iteration::EndEpisode()
{
    m_left = std::nullopt;
    if (m_phase == Phase::Layers && !IsWhole())
    {
        m_phase = Phase::Rest;
        return;
    }
    if (m_phase != Phase::Handover)
    {
        m_left = m_stage;
        if (!IsLastStage())
        {
            m_phase = Phase::Handover;
            return;
        }
    }
    m_phase = Phase::Layers;
    ++m_stage;
}

Episode
Iteration::MakeStage()
{
    const ForwardModel& model = m_surroundings.instance.Model();
    const uint64_t lastLayer = model.FirstLayer(m_stage + 1);
    // The last layers of the stage are the ones simulated, so dense layers at its begin are the
    // first to be left out.
    const uint64_t firstLayer = lastLayer - LayersInFull();
    const bool hasEmbedding = HasAllBesidesLayers() && m_stage == 0;
    const bool hasHead = HasAllBesidesLayers() && IsLastStage();
    // The ranks that have the experts belong to another instance, but take part in the episode.
    if (m_surroundings.instance.IsAttention())
    {
        return MakeApartEpisode(
            {m_surroundings.instance, firstLayer, lastLayer, hasEmbedding, hasHead, TellsLayers()},
            m_batches,
            m_surroundings.names);
    }
    PassTask layers;
    layers.firstLayer = firstLayer;
    layers.lastLayer = lastLayer;
    layers.hasEmbedding = hasEmbedding;
    layers.hasHead = hasHead;
    layers.tellsLayers = SendsLayers();
    Episode episode;
    if (m_surroundings.router != nullptr)
    {
        AddWithExperts(episode, layers);
    }
    for (uint32_t index = 0; m_surroundings.router == nullptr && index < m_batches.size(); ++index)
    {
        layers.batch = m_sums[index];
        AddReplica(episode, index, layers);
    }
    episode.names = m_surroundings.names;
    return episode;
}

/// The episode of the layers in full has just ended.
double
Iteration::PsOfLayerLeftOut(SimTime now) const
{
    // Layers that overlap are two or more (CheckLayers of the configuration).
    return m_surroundings.instance.IsAttention()
               ? double((m_lastEnd - m_lastButOneEnd).Ps())
               : double((now - m_begun).Ps()) / double(LayersInFull());
}

Episode
Iteration::MakeRest(SimTime now) const
{
    const uint64_t left = m_surroundings.instance.Model().LayersOf(m_stage) - LayersInFull();
    const double ofLayer = PsOfLayerLeftOut(now);
    Episode episode;
    for (uint32_t index = 0; index < m_batches.size(); ++index)
    {
        PassTask task = TaskFor(index);
        task.delay = SimTime::FromPs(static_cast<int64_t>(ofLayer * double(left)));
        task.firstLeftOut = m_surroundings.instance.Model().FirstLayer(m_stage);
        task.lastLeftOut = task.firstLeftOut + left;
        task.tellsLayers = SendsLayers();
        task.hasEmbedding = !HasAllBesidesLayers() && m_stage == 0;
        task.hasHead = !HasAllBesidesLayers() && IsLastStage();
        AddReplica(episode, index, task);
    }
    episode.names = m_surroundings.names;
    return episode;
}

/// Each rank of a tensor group sends the activations to its peer of the next stage.
Episode
Iteration::MakeHandover() const
{
    const ServingInstance& instance = m_surroundings.instance;
    std::vector<EpisodeMessage> messages;
    for (uint32_t index = 0; index < m_batches.size(); ++index)
    {
        const uint64_t bytes =
            m_sums[index].tokens * instance.Model().shape.hidden * instance.Model().elementBytes;
        // A replica without a batch has nothing to hand over.
        for (uint32_t rank = 0; rank < instance.Model().tensor && bytes > 0; ++rank)
        {
            messages.push_back({instance.RankAt(m_stage, ReplicaOf(index), rank),
                                instance.RankAt(m_stage + 1, ReplicaOf(index), rank),
                                bytes});
        }
    }
    return MakeMessageEpisode({.name = "activations", .messages = std::move(messages)},
                              m_surroundings.names);
}

PassTask
Iteration::TaskFor(uint32_t index) const
{
    PassTask task;
    task.batch = m_sums[index];
    return task;
}

/// Each rank has a graph of its own, as its tokens go their own ways.
void
Iteration::AddWithExperts(Episode& episode, const PassTask& layers)
{
    const ServingInstance& instance = m_surroundings.instance;
    ExpertGroup group{*m_surroundings.router, instance.Model(), m_number, {}, {}};
    std::vector<PassTask> tasks; // by place in the group
    for (uint32_t index = 0; index < m_batches.size(); ++index)
    {
        for (uint32_t rank = 0; rank < instance.Model().tensor; ++rank)
        {
            group.ranks.push_back(instance.RankAt(m_stage, ReplicaOf(index), rank));
            // All ranks of a tensor group have the same tokens, of which each sends an equal part
            // to experts.
            group.tokens.push_back(
                PartOf({0, m_sums[index].tokens}, rank, instance.Model().tensor).Length());
            tasks.push_back(layers);
            tasks.back().batch = m_sums[index];
        }
    }
    // Layer by layer: what a rank computes in a layer depends on all ranks of the group.
    for (uint64_t layer = layers.firstLayer; layer < layers.lastLayer; ++layer)
    {
        if (!instance.Model().shape.HasExperts(layer))
        {
            continue;
        }
        RoutedGroup routed = RouteExpertGroup(group, layer, *m_surroundings.counts);
        m_isDrawn = m_isDrawn || routed.isOffTrace;
        for (size_t i = 0; i < tasks.size(); ++i)
        {
            tasks[i].routed.push_back(std::move(routed.traffic[i]));
        }
    }
    for (uint32_t i = 0; i < tasks.size(); ++i)
    {
        const TransformerShape& part = instance.PartOf(i % instance.Model().tensor);
        episode.members.push_back({group.ranks[i], static_cast<uint32_t>(episode.graphs.size())});
        episode.graphs.push_back(MakeForwardPass(instance.Model(), part, tasks[i]));
    }
}

/// Ranks of equal parts share a graph.
void
Iteration::AddReplica(Episode& episode, uint32_t index, const PassTask& task) const
{
    const ServingInstance& instance = m_surroundings.instance;
    const auto firstGraph = static_cast<uint32_t>(episode.graphs.size());
    for (uint32_t part = 0; part < instance.PartCount(); ++part)
    {
        episode.graphs.push_back(MakeForwardPass(instance.Model(), instance.Part(part), task));
    }
    for (uint32_t rank = 0; rank < instance.Model().tensor; ++rank)
    {
        episode.members.push_back({instance.RankAt(m_stage, ReplicaOf(index), rank),
                                   firstGraph + instance.PartNumberOf(rank)});
    }
}

} // namespace nadi
