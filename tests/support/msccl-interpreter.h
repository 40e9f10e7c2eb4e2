// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/msccl-file/msccl-algorithm.h"

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace nadi::test
{

/// Runs a collective algorithm on symbols instead of numbers: a chunk holds how often each GPU's
/// chunk of the input went into it. The thread block that goes next is drawn, so that steps that
/// nothing orders run in either order, with other seeds.
class MscclInterpreter
{
  public:
    /// (GPU, chunk of its input) -> how often it was added.
    using Symbols = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;

    MscclInterpreter(const MscclAlgorithm& algorithm, uint32_t seed)
        : m_algorithm(algorithm)
        , m_dice(seed)
        , m_next(algorithm.gpus.size())
    {
        for (uint32_t gpu = 0; gpu < algorithm.gpus.size(); ++gpu)
        {
            m_next[gpu].resize(algorithm.gpus[gpu].blocks.size());
            for (uint32_t chunk = 0; chunk < algorithm.gpus[gpu].chunks[0]; ++chunk)
            {
                At(gpu, {MscclBuffer::Input, chunk}, 0) = {{{gpu, chunk}, 1}};
            }
        }
    }

    /// Whether all steps could run.
    bool Run()
    {
        std::vector<std::pair<uint32_t, uint32_t>> ready = FindReady();
        while (!ready.empty())
        {
            const auto [gpu, block] = ready[m_dice() % ready.size()];
            Step(gpu, m_algorithm.gpus[gpu].blocks[block], m_next[gpu][block]++);
            ready = FindReady();
        }
        for (uint32_t gpu = 0; gpu < m_next.size(); ++gpu)
        {
            for (uint32_t block = 0; block < m_next[gpu].size(); ++block)
            {
                if (m_next[gpu][block] < m_algorithm.gpus[gpu].blocks[block].steps.size())
                {
                    return false;
                }
            }
        }
        return true;
    }

    const Symbols& Output(uint32_t gpu, uint32_t chunk)
    {
        return At(gpu, {MscclBuffer::Output, chunk}, 0);
    }

  private:
    using Place = std::tuple<uint32_t, MscclBuffer, uint32_t>;

    Symbols& At(uint32_t gpu, MscclPlace place, uint32_t offset)
    {
        uint32_t chunk = place.chunk + offset;
        const auto ranks = static_cast<uint32_t>(m_algorithm.gpus.size());
        const uint32_t share = m_algorithm.chunks / ranks;
        const bool isInPlace = m_algorithm.isInPlace && place.buffer != MscclBuffer::Scratch;
        // In place, all of it is one buffer.
        if (isInPlace && ((m_algorithm.collective == CollectiveType::AllGather &&
                           place.buffer == MscclBuffer::Input) ||
                          (m_algorithm.collective == CollectiveType::ReduceScatter &&
                           place.buffer == MscclBuffer::Output)))
        {
            chunk += gpu * share;
        }
        return m_memory[{gpu, isInPlace ? MscclBuffer::Input : place.buffer, chunk}];
    }

    std::vector<std::pair<uint32_t, uint32_t>> FindReady() const
    {
        std::vector<std::pair<uint32_t, uint32_t>> ready;
        for (uint32_t gpu = 0; gpu < m_next.size(); ++gpu)
        {
            for (uint32_t block = 0; block < m_next[gpu].size(); ++block)
            {
                if (IsReady(gpu, m_algorithm.gpus[gpu].blocks[block], m_next[gpu][block]))
                {
                    ready.emplace_back(gpu, block);
                }
            }
        }
        return ready;
    }

    bool IsReady(uint32_t gpu, const MscclThreadBlock& block, uint32_t next) const
    {
        if (next == block.steps.size())
        {
            return false;
        }
        const MscclStep& step = block.steps[next];
        const bool waits =
            step.waitsFor && m_next[gpu][step.waitsFor->block] <= step.waitsFor->step;
        if (waits || !Receives(step.action))
        {
            return !waits;
        }
        const auto found = m_flying.find({*block.receivePeer, gpu, block.channel});
        return found != m_flying.end() && !found->second.empty();
    }

    void Step(uint32_t gpu, const MscclThreadBlock& block, uint32_t number)
    {
        const MscclStep& step = block.steps[number];
        std::vector<Symbols> data(step.count);
        if (Receives(step.action))
        {
            auto& queue = m_flying[{*block.receivePeer, gpu, block.channel}];
            data = queue.front();
            queue.pop_front();
            data.resize(step.count); // ends that differ: of files that their reader refuses
        }
        for (uint32_t at = 0; at < step.count; ++at)
        {
            Work(gpu, step, at, data[at]);
        }
        if (Sends(step.action))
        {
            m_flying[{gpu, *block.sendPeer, block.channel}].push_back(data);
        }
    }

    /// What a step does with one chunk; `data` is what it received, and then what it sends.
    void Work(uint32_t gpu, const MscclStep& step, uint32_t at, Symbols& data)
    {
        if (step.action == MscclAction::Reduce)
        {
            data = At(gpu, step.destination, at);
        }
        if (HasSource(step.action))
        {
            for (const auto& [symbol, count] : Symbols(At(gpu, step.source, at)))
            {
                data[symbol] += count;
            }
        }
        if (HasDestination(step.action))
        {
            At(gpu, step.destination, at) = data;
        }
    }

    const MscclAlgorithm& m_algorithm;
    std::minstd_rand m_dice;
    std::vector<std::vector<uint32_t>> m_next; // [GPU][thread block]: the step that comes next
    std::map<Place, Symbols> m_memory;
    /// By sending GPU, receiving GPU and channel.
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::deque<std::vector<Symbols>>> m_flying;
};

} // namespace nadi::test
