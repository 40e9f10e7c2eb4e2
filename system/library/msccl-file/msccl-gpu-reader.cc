// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/msccl-file/msccl-gpu-reader.h"

#include "system/library/msccl-file/msccl-step-reader.h"
#include "system/library/msccl-file/xml-element.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace nadi
{

namespace
{

/// Which buffers the collective cuts into a share for each rank.
uint32_t
ExpectedChunks(const MscclAlgorithm& algorithm, MscclBuffer buffer)
{
    const bool isShared =
        (algorithm.collective == CollectiveType::AllGather && buffer == MscclBuffer::Input) ||
        (algorithm.collective == CollectiveType::ReduceScatter && buffer == MscclBuffer::Output);
    return isShared ? algorithm.chunks / static_cast<uint32_t>(algorithm.gpus.size())
                    : algorithm.chunks;
}

/// Whether the numbers of chunks follow from `nchunksperloop`.
bool
HasFixedChunks(const MscclAlgorithm& algorithm)
{
    return algorithm.collective == CollectiveType::AllReduce ||
           algorithm.collective == CollectiveType::AllGather ||
           algorithm.collective == CollectiveType::ReduceScatter ||
           algorithm.collective == CollectiveType::AllToAll;
}

class GpuReader
{
  public:
    GpuReader(const XmlElement& element, uint32_t id, const MscclAlgorithm& algorithm)
        : m_element(element)
        , m_id(id)
        , m_algorithm(algorithm)
    {
    }

    MscclGpu Read() const
    {
        MscclGpu gpu;
        gpu.chunks[0] = ReadChunks("i_chunks", MscclBuffer::Input);
        gpu.chunks[1] = ReadChunks("o_chunks", MscclBuffer::Output);
        gpu.chunks[2] = static_cast<uint32_t>(m_element.Number("s_chunks", MOST_MSCCL_CHUNKS));
        if (m_algorithm.isInPlace && !HasFixedChunks(m_algorithm))
        {
            // Input and output share one memory. For these collectives only the file says how large
            // it is, and the file may leave out one of the two.
            gpu.chunks[0] = gpu.chunks[1] = std::max(gpu.chunks[0], gpu.chunks[1]);
        }
        // The steps are read last, so that they can be checked against the sizes of the buffers.
        const MscclStepReader steps(gpu);
        for (const XmlElement& block : m_element.Children({"tb"}))
        {
            // Steps name the thread blocks that they wait for by these numbers, so they must be
            // positions.
            const uint64_t id = block.Number("id", std::numeric_limits<uint32_t>::max());
            if (id != gpu.blocks.size())
            {
                block.Fail(fmt::format("id is {}; number the thread blocks of a GPU from 0, so "
                                       "that this is {}",
                                       id,
                                       gpu.blocks.size()));
            }
            gpu.blocks.push_back(ReadBlock(block, steps));
        }
        return gpu;
    }

  private:
    uint32_t ReadChunks(const char* name, MscclBuffer buffer) const
    {
        const auto chunks = static_cast<uint32_t>(m_element.Number(name, MOST_MSCCL_CHUNKS));
        const uint32_t expected = ExpectedChunks(m_algorithm, buffer);
        if (!HasFixedChunks(m_algorithm) || chunks == expected)
        {
            return chunks;
        }
        // A buffer that shares its memory with the other one is often left out.
        if (!m_algorithm.isInPlace || chunks != 0)
        {
            m_element.Fail(fmt::format("{} is {}; {} chunks for {} GPUs make it {}",
                                       name,
                                       chunks,
                                       m_algorithm.chunks,
                                       m_algorithm.gpus.size(),
                                       expected));
        }
        return expected;
    }

    std::optional<uint32_t> ReadPeer(const XmlElement& element, const char* name) const
    {
        const auto peer = element.Index(name, static_cast<uint32_t>(m_algorithm.gpus.size()) - 1);
        // In a program a message goes from one rank to another. What a GPU does with its own data
        // is a copy.
        if (peer == m_id)
        {
            element.Fail(fmt::format(
                "{}=\"{}\" is its own GPU; write another one, or -1 for none", name, *peer));
        }
        return peer;
    }

    MscclThreadBlock ReadBlock(const XmlElement& element, const MscclStepReader& steps) const
    {
        element.CheckAttributes({"id", "send", "recv", "chan"});
        MscclThreadBlock block;
        block.sendPeer = ReadPeer(element, "send");
        block.receivePeer = ReadPeer(element, "recv");
        block.line = element.Line();
        // Thread blocks that only copy have no channel.
        const auto channel = element.Index("chan", m_algorithm.channels - 1);
        block.channel = channel.value_or(0);
        if (!channel && (block.sendPeer || block.receivePeer))
        {
            element.Fail("has a peer but no channel; write chan=\"0\"");
        }
        for (const XmlElement& step : element.Children({"step", "op"}))
        {
            block.steps.push_back(steps.Read(step, block));
        }
        return block;
    }

    const XmlElement& m_element;
    uint32_t m_id;
    const MscclAlgorithm& m_algorithm;
};

} // namespace

MscclGpu
ReadMscclGpu(const XmlElement& element, uint32_t id, const MscclAlgorithm& algorithm)
{
    return GpuReader(element, id, algorithm).Read();
}

} // namespace nadi
