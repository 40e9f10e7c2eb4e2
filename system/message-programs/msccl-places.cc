// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/msccl-places.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

bool
NeedsOwnPlace(const MscclStep& step)
{
    // A step of a program adds what comes to the place in which it stores the sum. A step of a file
    // may take the other operand from one place and store to another.
    const bool isSamePlace = step.source.buffer == step.destination.buffer &&
                             step.source.chunk == step.destination.chunk;
    return step.action == MscclAction::ReceiveReduceSend ||
           (Receives(step.action) && Reduces(step.action) && !isSamePlace);
}

MscclPlaces::MscclPlaces(const MscclAlgorithm& algorithm, CollectiveType type)
    : m_buffers{.type = type,
                .ranks = static_cast<uint32_t>(algorithm.gpus.size()),
                .chunks = algorithm.chunks,
                .isInPlace = algorithm.isInPlace}
{
    CheckSizes(algorithm);
    AddOwn(algorithm);
}

void
MscclPlaces::CheckSizes(const MscclAlgorithm& algorithm) const
{
    const auto fail = [&](const std::string& what)
    {
        throw ConfigError(algorithm.source,
                          what + ", as " + std::string(ToText(m_buffers.type)) + " needs");
    };
    if (IsCutByRank(m_buffers.type) && m_buffers.chunks % m_buffers.ranks != 0)
    {
        fail(fmt::format("cuts the buffer into {} chunks, which is not the same number for each of "
                         "{} GPUs",
                         m_buffers.chunks,
                         m_buffers.ranks));
    }
    // In place, one place would hold a part of the own row at first, and in the end a part of
    // another rank's row. ProgramBuffers has no such form.
    if (m_buffers.type == CollectiveType::AllToAll && m_buffers.isInPlace)
    {
        fail("works in place; write inplace=\"0\" and an output buffer of its own");
    }
    for (uint32_t gpu = 0; gpu < m_buffers.ranks; ++gpu)
    {
        const auto& chunks = algorithm.gpus[gpu].chunks;
        const uint32_t inputs = chunks[static_cast<size_t>(MscclBuffer::Input)];
        const uint32_t outputs = chunks[static_cast<size_t>(MscclBuffer::Output)];
        const uint32_t firstInput =
            FirstPlaceOf(m_buffers, MscclBuffer::Input, gpu) - m_buffers.InputBegin();
        const uint32_t firstOutput = FirstPlaceOf(m_buffers, MscclBuffer::Output, gpu);
        // Only buffers that would reach beyond the places are refused here. The proof judges what a
        // file does with its chunks.
        if (inputs > m_buffers.chunks - firstInput || outputs > m_buffers.chunks - firstOutput)
        {
            fail(fmt::format("gives GPU {} {} input and {} output chunks of {}, which is not",
                             gpu,
                             inputs,
                             outputs,
                             m_buffers.chunks));
        }
    }
}

void
MscclPlaces::AddOwn(const MscclAlgorithm& algorithm)
{
    // All ranks of a program have the same number of scratch places, so it is that of the GPU which
    // needs most.
    uint32_t scratch = 0;
    for (const MscclGpu& gpu : algorithm.gpus)
    {
        scratch = std::max(scratch, gpu.chunks[static_cast<size_t>(MscclBuffer::Scratch)]);
    }
    m_buffers.scratch = scratch;
    for (const MscclGpu& gpu : algorithm.gpus)
    {
        // These places lie behind the scratch of the file. Thread blocks run at the same time, so
        // each has places of its own. The steps of a block share them, since they run one after the
        // other.
        uint32_t next = scratch;
        std::vector<uint32_t>& own = m_own.emplace_back();
        for (const MscclThreadBlock& block : gpu.blocks)
        {
            uint32_t most = 0;
            for (const MscclStep& step : block.steps)
            {
                most = NeedsOwnPlace(step) ? std::max(most, step.count) : most;
            }
            own.push_back(m_buffers.ScratchBegin() + next);
            next += most;
        }
        m_buffers.scratch = std::max(m_buffers.scratch, next);
    }
}

uint32_t
MscclPlaces::PlaceOf(uint32_t gpu, const MscclPlace& place) const
{
    return place.buffer == MscclBuffer::Scratch
               ? m_buffers.ScratchBegin() + place.chunk
               : FirstPlaceOf(m_buffers, place.buffer, gpu) + place.chunk;
}

uint32_t
FirstPlaceOf(const ProgramBuffers& buffers, MscclBuffer buffer, uint32_t gpu)
{
    if (buffer == MscclBuffer::Input)
    {
        const bool isWhole = buffers.isInPlace && buffers.type != CollectiveType::AllGather;
        return buffers.InputBegin() + (isWhole ? 0 : InputChunks(buffers, gpu).begin);
    }
    const bool isWhole = buffers.isInPlace && buffers.type != CollectiveType::ReduceScatter;
    return isWhole ? 0 : OutputChunks(buffers, gpu).begin;
}

} // namespace nadi
