// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/travel-places.h"

#include <algorithm>

namespace nadi::synthesis
{

TravelPlaces::TravelPlaces(const RouteModel& model,
                           const Schedule& schedule,
                           const ProgramBuffers& buffers)
    : m_schedule(schedule)
    , m_buffers(buffers)
{
    m_buffers.scratch = 0;
    if (HasOwn())
    {
        m_buffers.isInPlace = false;
        FollowChunks(model);
    }
}

std::optional<uint32_t>
TravelPlaces::ChunkOf(uint32_t transfer) const
{
    if (!HasOwn())
    {
        return std::nullopt;
    }
    return m_schedule[transfer].chunk % m_buffers.chunks;
}

/// Goes through the schedule once and keeps the place that each chunk has reached. A message comes
/// after the one that brought its chunk, so the place is known. Requires: chunks are Moved, so each
/// is at one place at a time.
void
TravelPlaces::FollowChunks(const RouteModel& model)
{
    const uint32_t chunks = m_buffers.chunks;
    const uint32_t parts = m_buffers.ChunksOfShard();
    std::vector<uint32_t> at(size_t{m_buffers.ranks} * chunks, UINT32_MAX); // by chunk: its place
    std::vector<uint32_t> used(m_buffers.ranks, 0); // places of scratch, by rank
    for (const Transfer& transfer : m_schedule)
    {
        const uint32_t source = transfer.chunk / chunks;
        const uint32_t inRow = transfer.chunk % chunks;
        const uint32_t to = model.At(transfer.way).to;
        uint32_t& place = at[transfer.chunk];
        // A chunk that has not moved is in the row of its source. At each relay a chunk has a
        // scratch place that no other chunk ever has, so that nothing has to wait until a place is
        // free.
        m_sent.push_back(place == UINT32_MAX ? m_buffers.InputBegin() + inRow : place);
        place = to == inRow / parts ? source * parts + inRow % parts
                                    : m_buffers.ScratchBegin() + used[to]++;
        m_received.push_back(place);
    }
    m_buffers.scratch = *std::max_element(used.begin(), used.end());
}

} // namespace nadi::synthesis
