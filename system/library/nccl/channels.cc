// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/channels.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nadi::nccl
{

namespace
{

/// Threads of a channel x bytes of each before another channel is used.
double
ChannelThreshold(KernelProtocol protocol)
{
    switch (protocol)
    {
    case KernelProtocol::LL:
        return 512 * 8;
    case KernelProtocol::LL128:
        return 640 * 8;
    default:
        return 512 * 64;
    }
}

uint32_t
MostInNode(Generation generation)
{
    switch (generation)
    {
    case Generation::V100:
        return 12;
    case Generation::B200:
        return 32;
    case Generation::Mi300x:
        return 28;
    default:
        return 24;
    }
}

} // namespace

double
SlotBytes(KernelProtocol protocol)
{
    switch (protocol)
    {
    case KernelProtocol::LL:
        return 4 * KIB;
    case KernelProtocol::LL128:
        return 72'000;
    default:
        return 512 * KIB;
    }
}

uint32_t
MostChannels(const Machine& machine)
{
    uint32_t most = MostInNode(machine.generation);
    if (machine.nodes > 1)
    {
        const bool isOld =
            machine.generation == Generation::V100 || machine.generation == Generation::A100;
        // Between nodes V100 and A100 have one channel for each GPU of a node, all other
        // generations two.
        most = std::max(2U, (isOld ? 1 : 2) * machine.Local());
    }
    return std::max(most, machine.leastChannels);
}

uint32_t
UsedChannels(const Machine& machine,
             KernelAlgorithm algorithm,
             KernelProtocol protocol,
             double size)
{
    if (IsNvls(algorithm))
    {
        return NVLS_CHANNELS;
    }
    double threshold = ChannelThreshold(protocol);
    if (algorithm == KernelAlgorithm::Ring && protocol == KernelProtocol::LL)
    {
        // For a ring with LL the threshold is 4 KiB for each rank.
        threshold *= machine.ranks;
    }
    return static_cast<uint32_t>(
        std::clamp(std::floor(size / threshold), 1.0, double(MostChannels(machine))));
}

double
NvlsChunk(double size, uint32_t heads, double most)
{
    struct Step
    {
        double chunk;
        double loops; ///< with fewer loops of the next larger chunk, this one is used
    };

    constexpr std::array<Step, 3> steps{{{64 * KIB, 64}, {32 * KIB, 8}, {16 * KIB, 2}}};
    double chunk = most;
    for (const Step& step : steps)
    {
        const double larger = 2 * step.chunk;
        // A step halves only a chunk of twice its own size. So a chunk that begins at 64 KiB skips
        // the first step, and a chunk that is not halved at one size is not halved any more.
        if (chunk == larger && size < step.loops * NVLS_CHANNELS * heads * larger)
        {
            chunk = step.chunk;
        }
    }
    return chunk;
}

} // namespace nadi::nccl
