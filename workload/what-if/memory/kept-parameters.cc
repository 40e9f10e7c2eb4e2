// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/memory/kept-parameters.h"

#include "workload/what-if/kernel-times/kernel-tensors.h"
#include "workload/what-if/memory/copy-traffic.h"
#include "workload/what-if/memory/parameter-count.h"
#include "workload/what-if/memory/streamed-parameters.h"
#include "workload/what-if/memory/whole-shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

std::string
DescribeShards(uint32_t shards)
{
    return shards > 1 ? fmt::format(", in {} shards", shards) : "";
}

MemoryPart
KeptParametersOf(const ParameterCount& count,
                 uint64_t numberSize,
                 bool isAssumed,
                 const WholeShards& whole)
{
    MemoryPart part{"parameters", whole.gathered, ""};
    for (const ParameterGroup& group : count.groups)
    {
        part.bytes += DivideUp(group.numbers * numberSize, group.parameterShards);
        part.evidence += fmt::format("{}{} numbers of {} B{}{}{}",
                                     part.evidence.empty() ? "" : "; ",
                                     group.numbers,
                                     numberSize,
                                     isAssumed ? " (assumed)" : "",
                                     group.where,
                                     DescribeShards(group.parameterShards));
    }
    part.evidence += ": " + count.evidence;
    part.evidence += whole.gathered > 0
                         ? fmt::format("; and {} B whole that gathers in a row bring in: some are "
                                       "worked on while others come",
                                       whole.gathered)
                         : "";
    return part;
}

MemoryPart
KeptGradientsOf(const ParameterCount& count, const WholeShards& whole)
{
    MemoryPart part{"gradients", 0, ""};
    bool areSharded = false;
    for (const ParameterGroup& group : count.groups)
    {
        areSharded = areSharded || group.gradientShards > 1;
        part.bytes += DivideUp(group.gradientBytes, group.gradientShards);
        part.evidence += fmt::format("{}{} B{}{}",
                                     part.evidence.empty() ? "" : "; ",
                                     group.gradientBytes,
                                     group.where,
                                     DescribeShards(group.gradientShards));
    }
    part.evidence += count.gradientEvidence.empty() ? "" : ", " + count.gradientEvidence;
    if (areSharded)
    {
        part.bytes += whole.unscattered;
        part.evidence +=
            fmt::format("; and {} B whole until they are scattered", whole.unscattered);
    }
    return part;
}

/// Where one micro-batch goes through each copy, ZeRO 1 and 2 scatter gradients alike.
std::string
DescribeDoubtOfGradients(const ParameterCount& count, const WholeShards& whole)
{
    uint64_t cut = whole.unscattered; // what ZeRO 2 would keep
    bool isCut = false;
    for (const ParameterGroup& group : count.groups)
    {
        isCut = isCut || group.gradientShards != group.updatedShards;
        cut += DivideUp(group.gradientBytes, group.updatedShards);
    }
    return isCut ? fmt::format("; a single micro-batch does not tell ZeRO 1, which is taken, from "
                               "ZeRO 2, with which a rank keeps {} B",
                               cut)
                 : "";
}

MemoryPart
KeptStatesOf(const ParameterCount& count)
{
    uint64_t states = count.updated; // a rank's own shard already
    for (const ParameterGroup& group : count.groups)
    {
        states += count.updated > 0 ? 0 : DivideUp(group.numbers, group.updatedShards);
    }
    return {"optimizer states",
            states * STATE_BYTES,
            fmt::format("{} numbers of an fp32 copy and two moments, {} B each (assumed), {}",
                        states,
                        STATE_BYTES,
                        count.updated > 0 ? "as its kernels update" : "of all parameters")};
}

} // namespace

uint64_t
FindNumberSize(const ExecutionGraph& graph, bool& isAssumed)
{
    std::map<uint64_t, uint64_t> kernels; // by size
    for (const ExecutionNode& node : graph.Nodes())
    {
        for (const KernelLaunch& kernel : graph.KernelsOf(node))
        {
            ++kernels[SizeOf(kernel.type)];
        }
    }
    // Kernels that do not say their type do not count.
    kernels.erase(0);
    isAssumed = kernels.empty();
    return isAssumed ? 2
                     : std::ranges::max_element(
                           kernels, {}, [](const auto& entry) { return entry.second; })
                           ->first;
}

std::vector<MemoryPart>
FindKeptParameters(const Workload& job, const JobStructure& structure, const RankStructure& rank)
{
    const ExecutionGraph& graph = job.GraphOf(RankId{rank.rank});
    if (auto streamed = FindStreamedParameters(graph, rank))
    {
        return std::move(*streamed);
    }
    const CopiesTraffic traffic = ReadCopyTraffic(job, structure, rank);
    bool isAssumed = false;
    const uint64_t numberSize = FindNumberSize(graph, isAssumed);
    const ParameterCount count =
        CountParameters(graph, rank, traffic, structure.iterations, numberSize);
    const bool hasShards = traffic.dense.hasScatters || traffic.experts.hasScatters;
    const WholeShards whole = hasShards ? FindWholeShards(job, structure, rank) : WholeShards();
    std::vector<MemoryPart> parts{KeptParametersOf(count, numberSize, isAssumed, whole),
                                  {"gradients", 0, "there is no backward pass"},
                                  {"optimizer states", 0, "there is no optimizer"}};
    if (structure.hasBackward)
    {
        parts[1] = KeptGradientsOf(count, whole);
        parts[1].evidence +=
            structure.microBatches == 1 ? DescribeDoubtOfGradients(count, whole) : "";
    }
    if (structure.hasOptimizer)
    {
        parts[2] = KeptStatesOf(count);
    }
    return parts;
}

} // namespace nadi
