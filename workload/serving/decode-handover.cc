// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/decode-handover.h"

#include <algorithm>

namespace nadi
{

void
DecodeHandover::Admit(LiveRequest& live)
{
    Batcher& batcher = m_context.changed.Change(live.place);
    // A single token is made together with the prompt, so it needs no decode instance.
    const bool isMoved =
        live.place.instance->Role() == ServingRole::Prefill && live.sequence.request.output > 1;
    if (!isMoved || !m_mover.IsLayerByLayer())
    {
        return batcher.Enqueue(live.sequence);
    }
    // The prompt waits for room where it will be decoded; AdmitComputed enqueues it then.
    batcher.Expect(live.sequence);
    live.decoded.generated = 1; // by the time that it is decoded
    Reserve(live);
}

/// A decode replica goes on with the request as soon as it has room and the prompt is there.
void
DecodeHandover::Reserve(LiveRequest& live)
{
    live.decodePlace = m_context.chooser.Choose(live.sequence.request, ServingDuty::Answer);
    live.decoded.request = live.sequence.request;
    m_context.changed.Change(*live.decodePlace).EnqueueComputed(live.decoded);
}

void
DecodeHandover::BeginPart(LiveRequest& live, const BatchPart& part)
{
    // Once the prompt is computed, passes of the decode replica compute the request. They send
    // nothing.
    if (!live.isPrompted)
    {
        KvMover::BeginPass(live, part);
    }
}

/// Ranks that have computed a layer at one instant send together.
void
DecodeHandover::EndLayers(std::vector<MilestoneReached> layers)
{
    // By episode, layer and rank: what is to be sent together stands together.
    std::sort(layers.begin(), layers.end());
    std::vector<RankId> ranks;
    for (size_t i = 0; i < layers.size(); ++i)
    {
        ranks.push_back(layers[i].rank);
        if (i + 1 == layers.size() || layers[i + 1].episode != layers[i].episode ||
            layers[i + 1].number != layers[i].number)
        {
            EndLayer(m_context.passes.At(layers[i].episode), {layers[i].number, ranks});
            ranks.clear();
        }
    }
}

void
DecodeHandover::EndLayer(const Pass& pass, const ComputedLayer& computed)
{
    // The ends of its layers may be told for their times alone.
    if (!pass.iteration->SendsLayers())
    {
        return;
    }
    for (const std::vector<BatchPart>& batch : pass.iteration->Batches())
    {
        for (const BatchPart& part : batch)
        {
            LiveRequest& live = m_context.ledger.At(*part.sequence);
            // Requests that want a single token go nowhere.
            if (live.decodePlace)
            {
                m_mover.SendLayer(live, computed);
            }
        }
    }
}

void
DecodeHandover::EndPrompt(LiveRequest& live, SimTime now)
{
    m_context.changed.Change(live.place).HandOver(live.sequence);
    live.isPrompted = true;
    if (live.decodePlace)
    {
        // With transfers layer by layer, room was reserved before the prompt began, and all may
        // have arrived.
        return GoOnIfMoved(live, now);
    }
    live.decoded.generated = live.sequence.generated;
    m_context.ledger.AwaitDecode();
    Reserve(live);
}

void
DecodeHandover::AdmitComputed()
{
    for (const auto& [number, groups] : m_context.changed.All())
    {
        InstanceState& instance = m_context.instances[number];
        for (const uint32_t group : groups)
        {
            for (uint32_t index = 0; index < instance.Instance().ReplicasOfGroup(); ++index)
            {
                AdmitComputed(instance.ReplicaOfGroup(group, index));
            }
        }
    }
}

void
DecodeHandover::AdmitComputed(Batcher& batcher)
{
    for (const Sequence* sequence : batcher.AdmitComputed())
    {
        LiveRequest& live = m_context.ledger.At(*sequence);
        // With transfers at the end, the prompt is computed by now. With transfers layer by layer,
        // the prompt begins now that there is room for it here.
        if (live.isPrompted)
        {
            m_context.ledger.LeavePrefill();
            m_mover.SendAll(live);
        }
        else
        {
            m_context.changed.Change(live.place).Enqueue(live.sequence);
        }
    }
}

/// Where the prompt is computed, and all its keys and values are with the decode replica.
void
DecodeHandover::GoOnIfMoved(LiveRequest& live, SimTime now)
{
    if (!live.isPrompted || live.kvUnderWay > 0)
    {
        return;
    }
    live.record.transfer = now - live.record.firstToken;
    m_context.changed.Change(live.place).LetGo(live.sequence);
    m_context.changed.Change(*live.decodePlace).Arrive(live.decoded);
}

} // namespace nadi
