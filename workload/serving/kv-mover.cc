// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/kv-mover.h"

#include "workload/serving/kv-transfer.h"

#include <algorithm>

namespace nadi
{

void
KvMover::SendAll(LiveRequest& live)
{
    std::vector<EpisodeMessage> messages;
    for (const KvShare& share : PlanKvTransfer(live.place, *live.decodePlace))
    {
        messages.push_back(
            {share.source, share.destination, share.bytesOfToken * live.sequence.request.input});
    }
    Submit(live, std::move(messages));
}

void
KvMover::BeginPass(LiveRequest& live, const BatchPart& part)
{
    const uint64_t computed = part.context + part.tokens;
    // More may have left than is computed: a prompt that was preempted is computed again, but what
    // left stays with the decode replica.
    live.kvOfPass = computed - std::min(computed, live.kvSent);
    live.kvSent += live.kvOfPass;
}

void
KvMover::SendLayer(LiveRequest& live, const ComputedLayer& computed)
{
    // All tokens of the pass left before, as when a preempted prompt is computed again.
    if (live.kvOfPass == 0)
    {
        return;
    }
    const Interval layers{computed.layer, computed.layer + 1};
    std::vector<EpisodeMessage> messages;
    for (const KvShare& share : PlanKvTransfer(live.place, *live.decodePlace, layers))
    {
        if (std::binary_search(computed.ranks.begin(), computed.ranks.end(), share.source))
        {
            messages.push_back(
                {share.source, share.destination, share.bytesOfToken * live.kvOfPass});
        }
    }
    // Of ranks that hold the same heads only some send, so there may be no message.
    if (!messages.empty())
    {
        Submit(live, std::move(messages));
    }
}

void
KvMover::Submit(LiveRequest& live, std::vector<EpisodeMessage> messages)
{
    Episode episode =
        MakeMessageEpisode({.name = "keys and values",
                            .kind = MessageKind::Kv,
                            .isAskedFor = m_options.mode == KvTransferOptions::Mode::Pull,
                            .messages = std::move(messages)},
                           m_names);
    m_underWay.emplace(m_jobs.Submit(std::move(episode), &m_listener), &live);
    ++live.kvUnderWay;
}

LiveRequest&
KvMover::End(EpisodeNumber episode)
{
    LiveRequest& live = *m_underWay.extract(episode).mapped();
    --live.kvUnderWay;
    return live;
}

} // namespace nadi
