// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/timeline/serving-timeline.h"

#include <algorithm>
#include <utility>

namespace nadi
{

/// Each instance has an equal share of the slices, so what is drawn of it does not depend on
/// others.
ServingTimelineRecorder::ServingTimelineRecorder(std::vector<std::string> instances)
{
    const size_t share = MOST_PASSES / std::max<size_t>(instances.size(), 1);
    m_timeline.passes.assign(instances.size(), RankTimeline(share));
    m_timeline.instances = std::move(instances);
}

void
ServingTimelineRecorder::OnRequestEnded(const RequestRecord& request)
{
    ++m_timeline.requestsInAll;
    if (m_timeline.requests.size() < MOST_REQUESTS)
    {
        m_timeline.requests.push_back(request);
    }
}

void
ServingTimelineRecorder::OnPassEnded(const PassRecord& pass)
{
    TimelineSlice slice = MakeSlice(pass.start, pass.end);
    slice.call = static_cast<uint32_t>(pass.requests);
    slice.chunk = static_cast<uint32_t>(pass.tokens);
    m_timeline.passes[pass.instance].Add({TrackKind::Pass}, slice);
}

ServingTimeline
ServingTimelineRecorder::Take()
{
    for (RankTimeline& passes : m_timeline.passes)
    {
        passes.Finish();
    }
    // Requests came in the order of their ends, and are drawn in that of their arrivals.
    std::ranges::sort(m_timeline.requests, {}, &RequestRecord::id);
    return std::move(m_timeline);
}

} // namespace nadi
