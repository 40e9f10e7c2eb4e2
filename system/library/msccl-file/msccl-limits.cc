// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/msccl-file/msccl-limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace nadi
{

namespace
{

/// The largest values that occur in an algorithm.
struct Extremes
{
    uint64_t steps = 0;         ///< of a thread block
    uint64_t blocks = 0;        ///< of a GPU
    uint64_t channelBlocks = 0; ///< of a GPU, on a channel
    uint64_t count = 0;         ///< of a step
};

Extremes
FindExtremes(const MscclAlgorithm& algorithm)
{
    Extremes most;
    for (const MscclGpu& gpu : algorithm.gpus)
    {
        most.blocks = std::max<uint64_t>(most.blocks, gpu.blocks.size());
        std::map<uint32_t, uint64_t> blocksOfChannel;
        for (const MscclThreadBlock& block : gpu.blocks)
        {
            most.steps = std::max<uint64_t>(most.steps, block.steps.size());
            most.channelBlocks = std::max(most.channelBlocks, ++blocksOfChannel[block.channel]);
            for (const MscclStep& step : block.steps)
            {
                most.count = std::max<uint64_t>(most.count, step.count);
            }
        }
    }
    return most;
}

} // namespace

std::vector<std::string>
FindPassedLimits(const MscclAlgorithm& algorithm)
{
    const Extremes most = FindExtremes(algorithm);
    std::vector<std::string> notes;
    const auto compare = [&notes](uint64_t value, uint64_t limit, const char* what)
    {
        if (value > limit)
        {
            notes.push_back(
                fmt::format("{} {}; the runtime of MSCCL allows {} at most", value, what, limit));
        }
    };
    compare(most.steps, 256, "steps in a thread block");
    compare(most.blocks, 216, "thread blocks on a GPU");
    compare(most.channelBlocks, 32, "thread blocks of a GPU on one channel");
    compare(most.count, 71, "chunks in one step");
    return notes;
}

} // namespace nadi
