// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/changed-groups.h"
#include "workload/serving/kv-mover.h"
#include "workload/serving/pass-runner.h"
#include "workload/serving/replica-chooser.h"
#include "workload/serving/request-ledger.h"

#include <vector>

namespace nadi
{

/// Takes requests from the instances that compute their prompts to those that go on with them: has
/// room reserved, keys and values moved, and lets the other replica begin when they are there.
///
/// At the end: prompt, room, transfer. Layer by layer: room, then the prompt and with it the
/// transfer.
class DecodeHandover
{
  public:
    struct Context
    {
        std::deque<InstanceState>& instances;
        ChangedGroups& changed;
        ReplicaChooser& chooser;
        RequestLedger& ledger;
        const PassRunner& passes;
    };

    /// All of it outlives the handover.
    DecodeHandover(const Context& context, KvMover mover)
        : m_context(context)
        , m_mover(std::move(mover))
    {
    }

    /// The request comes to its place, at once or when a decode replica has room for it.
    void Admit(LiveRequest& live);

    /// A pass begins that computes `part` of the request.
    void BeginPart(LiveRequest& live, const BatchPart& part);

    /// Layers that ranks have computed at one instant: keys and values leave.
    void EndLayers(std::vector<MilestoneReached> layers);

    /// Its prompt is computed on a prefill instance, and the answer needs more than a token.
    void EndPrompt(LiveRequest& live, SimTime now);

    /// Whether the episode is a transfer.
    bool Owns(EpisodeNumber episode) const
    {
        return m_mover.Owns(episode);
    }

    /// Whether keys and values of any request are on their way.
    bool HasTransfers() const
    {
        return m_mover.HasAnyUnderWay();
    }

    /// The episode has ended. Requires: Owns(episode).
    void EndTransfer(EpisodeNumber episode, SimTime now)
    {
        GoOnIfMoved(m_mover.End(episode), now);
    }

    /// Requests for which replicas have room now, of those that have changed.
    void AdmitComputed();

  private:
    void Reserve(LiveRequest& live);
    void EndLayer(const Pass& pass, const ComputedLayer& computed);
    void AdmitComputed(Batcher& batcher);
    void GoOnIfMoved(LiveRequest& live, SimTime now);

    Context m_context;
    KvMover m_mover;
};

} // namespace nadi
