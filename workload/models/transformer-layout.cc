// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/transformer-layout.h"

#include "common/check.h"

namespace nadi
{

namespace
{

/// The neighbour `step` places on, in a ring of `size`.
uint32_t
Around(uint32_t at, uint32_t step, uint32_t size)
{
    return (at + step) % size;
}

} // namespace

TransformerLayout::Place
TransformerLayout::PlaceOf(uint32_t rank) const
{
    Place place;
    place.tensor = rank % m_degrees.tensor;
    rank /= m_degrees.tensor;
    place.context = rank % m_degrees.context;
    rank /= m_degrees.context;
    place.data = rank % m_degrees.data;
    place.stage = rank / m_degrees.data;
    return place;
}

uint32_t
TransformerLayout::RankAt(const Place& place) const
{
    const uint32_t aboveTensor =
        (place.stage * m_degrees.data + place.data) * m_degrees.context + place.context;
    return aboveTensor * m_degrees.tensor + place.tensor;
}

std::vector<uint32_t>
TransformerLayout::TensorGroup(Place place) const
{
    std::vector<uint32_t> ranks;
    for (place.tensor = 0; place.tensor < m_degrees.tensor; ++place.tensor)
    {
        ranks.push_back(RankAt(place));
    }
    return ranks;
}

/// The copies that share one set of experts lie side by side: with ep 2, copies 0 and 1, then 2 and
/// 3. For copy 3 the first is 3 - 3 % 2 = 2.
std::vector<uint32_t>
TransformerLayout::ExpertGroup(Place place) const
{
    std::vector<uint32_t> ranks;
    const uint32_t first = place.data - place.data % m_degrees.expert;
    for (place.data = first; place.data < first + m_degrees.expert; ++place.data)
    {
        ranks.push_back(RankAt(place));
    }
    return ranks;
}

/// All context ranks of every `step`-th copy from `firstData` on. With 4 copies, of which every 2
/// share the experts, copies 0 and 2 hold the same experts, and so do 1 and 3: `step` is 2.
std::vector<uint32_t>
TransformerLayout::CopiesOf(Place place, uint32_t firstData, uint32_t step) const
{
    std::vector<uint32_t> ranks;
    for (place.data = firstData; place.data < m_degrees.data; place.data += step)
    {
        for (place.context = 0; place.context < m_degrees.context; ++place.context)
        {
            ranks.push_back(RankAt(place));
        }
    }
    return ranks;
}

std::vector<uint32_t>
TransformerLayout::GroupOf(uint32_t rank, const std::string& group) const
{
    Place place = PlaceOf(rank);
    if (group == "tp")
    {
        return TensorGroup(place);
    }
    if (group == "ep")
    {
        return ExpertGroup(place);
    }
    if (group == "dp")
    {
        // CopiesOf has all context ranks, as these hold the same parameters.
        return CopiesOf(place, 0, 1);
    }
    if (group == "expert-dp")
    {
        return CopiesOf(place, place.data % m_degrees.expert, m_degrees.expert);
    }
    NADI_CHECK(group == "embedding");
    std::vector<uint32_t> ends;
    for (const uint32_t stage : {0U, m_degrees.pipeline - 1})
    {
        place.stage = stage;
        ends.push_back(RankAt(place));
    }
    return ends;
}

std::vector<RankId>
TransformerLayout::PeersOf(uint32_t rank) const
{
    const Place place = PlaceOf(rank);
    // Stages are a ring here: with chunks interleaved, the last stage sends to the first.
    Place nextStage = place;
    nextStage.stage = Around(place.stage, 1, m_degrees.pipeline);
    Place previousStage = place;
    previousStage.stage = Around(place.stage, m_degrees.pipeline - 1, m_degrees.pipeline);
    Place nextContext = place;
    nextContext.context = Around(place.context, 1, m_degrees.context);
    Place previousContext = place;
    previousContext.context = Around(place.context, m_degrees.context - 1, m_degrees.context);
    std::vector<RankId> peers;
    // Order: that of TransformerBlockWriter::Peer.
    for (const Place& peer : {nextStage, previousStage, nextContext, previousContext})
    {
        peers.push_back(RankId{RankAt(peer)});
    }
    return peers;
}

} // namespace nadi
