// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/job-engine.h"
#include "workload/serving/live-request.h"
#include "workload/serving/message-episode.h"
#include "workload/serving/serve-options.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace nadi
{

/// Keys and values of a layer that some ranks have computed.
struct ComputedLayer
{
    uint64_t layer = 0;
    std::span<const RankId> ranks; ///< ascending
};

/// Moves keys and values of requests from the replicas that compute prompts to those that go on
/// with them: submits their messages, and counts those under way (LiveRequest::kvUnderWay).
class KvMover
{
  public:
    /// All of it outlives the mover. `listener` is told the ends of episodes, and passes them on.
    KvMover(JobEngine& jobs,
            EpisodeListener& listener,
            const KvTransferOptions& options,
            std::shared_ptr<const RankNames> names)
        : m_jobs(jobs)
        , m_listener(listener)
        , m_options(options)
        , m_names(std::move(names))
    {
    }

    /// Whether keys and values leave layer by layer, so that room for them is needed beforehand.
    bool IsLayerByLayer() const
    {
        return m_options.when == KvTransferOptions::When::Layer;
    }

    /// Those of the whole prompt leave. Requires, here and below: the request has a decodePlace,
    /// and the call is made where JobEngine::Submit may be.
    void SendAll(LiveRequest& live);

    /// A pass begins that computes `part` of the prompt: of its tokens, those leave with it that
    /// did not leave before. The first pass takes those along that were in the prefix cache.
    static void BeginPass(LiveRequest& live, const BatchPart& part);

    /// Of the tokens of the present pass, those of a layer leave the ranks that have computed it.
    void SendLayer(LiveRequest& live, const ComputedLayer& computed);

    /// Whether the episode is a transfer.
    bool Owns(EpisodeNumber episode) const
    {
        return m_underWay.contains(episode);
    }

    bool HasAnyUnderWay() const
    {
        return !m_underWay.empty();
    }

    /// The episode has ended; the request that it was of. Requires: Owns(episode).
    LiveRequest& End(EpisodeNumber episode);

  private:
    void Submit(LiveRequest& live, std::vector<EpisodeMessage> messages);

    JobEngine& m_jobs;
    EpisodeListener& m_listener;
    KvTransferOptions m_options;
    std::shared_ptr<const RankNames> m_names;
    std::map<EpisodeNumber, LiveRequest*> m_underWay;
};

} // namespace nadi
