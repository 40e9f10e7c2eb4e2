// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/msccl-chunks.h"

#include "system/library/msccl-file/msccl-messages.h"
#include "system/library/msccl-file/msccl-order.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

using StepKey = std::tuple<uint32_t, uint32_t, uint32_t>;

StepKey
KeyOf(const MscclGlobalStep& step)
{
    return {step.gpu, step.step.block, step.step.step};
}

/// Moves the numbers of chunks from place to place.
/// A file names places of buffers, while the length of a message follows from its chunk. So the
/// file is run once, in an order of OrderMscclSteps, with the numbers of chunks in the place of
/// data.
class Follower
{
  public:
    Follower(const MscclAlgorithm& algorithm, const MscclPlaces& places)
        : m_algorithm(algorithm)
        , m_places(places)
        , m_messages(MatchMscclMessages(algorithm))
        , m_held(algorithm.gpus.size(), std::vector<uint32_t>(places.Buffers().Places()))
    {
        for (const MscclGpu& gpu : algorithm.gpus)
        {
            auto& blocks = m_chunks.emplace_back();
            for (const MscclThreadBlock& block : gpu.blocks)
            {
                blocks.emplace_back(block.steps.size());
            }
        }
        for (size_t message = 0; message < m_messages.size(); ++message)
        {
            m_received[KeyOf(m_messages[message].receiver)] = message;
            m_sent[KeyOf(m_messages[message].sender)] = message;
        }
        Fill();
    }

    MscclChunks Run()
    {
        // What each message carries, by its number. The order has every send before its receive, so
        // the receive finds it filled.
        std::vector<std::vector<uint32_t>> contents(m_messages.size());
        for (const MscclGlobalStep& at : OrderMscclSteps(m_algorithm, m_messages))
        {
            const MscclStep& step = m_algorithm.StepAt(at);
            std::vector<uint32_t> moved;
            if (Receives(step.action))
            {
                // A step that receives and adds keeps the number of the chunk that came: the chunk
                // that it is added to has the same number, or the proof refuses the file.
                moved = contents[m_received.at(KeyOf(at))];
            }
            else if (HasSource(step.action))
            {
                // A local reduction, too, goes by its source: its operands are the same chunk, or
                // the proof refuses the file.
                moved = Read(at.gpu, step.source, step.count);
            }
            if (HasDestination(step.action))
            {
                Write(at.gpu, step.destination, moved);
            }
            if (Sends(step.action))
            {
                contents[m_sent.at(KeyOf(at))] = moved;
            }
            m_chunks[at.gpu][at.step.block][at.step.step] = moved.empty() ? 0 : moved.front();
        }
        return std::move(m_chunks);
    }

  private:
    /// What ranks have at first. Empty places keep the number 0, which no program uses: the proof
    /// refuses a file that reads them.
    void Fill()
    {
        const ProgramBuffers& buffers = m_places.Buffers();
        for (uint32_t rank = 0; rank < buffers.ranks; ++rank)
        {
            const ChunkRange input = InputChunks(buffers, rank);
            for (uint32_t chunk = input.begin; chunk < input.end; ++chunk)
            {
                m_held[rank][buffers.InputBegin() + chunk] = chunk;
            }
        }
    }

    std::vector<uint32_t> Read(uint32_t gpu, const MscclPlace& place, uint32_t count) const
    {
        const auto first = m_held[gpu].begin() + m_places.PlaceOf(gpu, place);
        return {first, first + count};
    }

    void Write(uint32_t gpu, const MscclPlace& place, const std::vector<uint32_t>& chunks)
    {
        const uint32_t first = m_places.PlaceOf(gpu, place);
        std::copy(chunks.begin(), chunks.end(), m_held[gpu].begin() + first);
    }

    const MscclAlgorithm& m_algorithm;
    const MscclPlaces& m_places;
    std::vector<MscclMessage> m_messages;
    std::map<StepKey, size_t> m_received;
    std::map<StepKey, size_t> m_sent;
    std::vector<std::vector<uint32_t>> m_held; // by GPU and place
    MscclChunks m_chunks;
};

} // namespace

MscclChunks
FindMscclChunks(const MscclAlgorithm& algorithm, const MscclPlaces& places)
{
    return Follower(algorithm, places).Run();
}

} // namespace nadi
