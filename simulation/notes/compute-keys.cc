// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/compute-keys.h"

#include "system/compute-model.h"
#include "workload/engine/compute-work.h"
#include "workload/engine/node-route.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace nadi
{

namespace
{

/// What takes time on the ranks themselves.
struct LocalWorkKinds
{
    bool computes = false;
    bool accessesLocal = false;
    bool accessesRemote = false;
};

LocalWorkKinds
FindKinds(const Workload& workload)
{
    LocalWorkKinds kinds;
    for (const ExecutionGraph& graph : workload.graphs)
    {
        for (const ExecutionNode& node : graph.Nodes())
        {
            const NodeRoute route = FindRoute(node);
            kinds.computes |= IsKernel(route) || route == NodeRoute::Cpu;
            kinds.accessesLocal |= route == NodeRoute::Memory && !node.isRemote;
            kinds.accessesRemote |= route == NodeRoute::Memory && node.isRemote;
        }
    }
    return kinds;
}

/// Accesses to memory count as computing.
bool
HasTakenTime(const RunResults& results)
{
    return std::ranges::any_of(
        results.ranks, [](const RankResult& rank) { return rank.metrics.compute > SimTime(); });
}

/// Passes of a cluster that serves compute, and swaps are its only accesses to memory.
LocalWorkKinds
FindKinds(const RunInput& input, const RunResults& results)
{
    if (!HasTakenTime(results))
    {
        return {};
    }
    return results.serving
               ? LocalWorkKinds{.computes = true, .accessesRemote = results.serving->swaps > 0}
               : FindKinds(input.Workload());
}

bool
IsSpeedOf(const MemorySpeed& speed, const MemorySpeed& usual)
{
    return speed.latency == usual.latency && speed.bandwidth == usual.bandwidth;
}

bool
IsRemoteUsual(const MemoryOptions& memory)
{
    const MemoryOptions usual;
    return IsSpeedOf(memory.remote, usual.remote) && memory.sharing == usual.sharing &&
           memory.through == usual.through;
}

bool
IsLocationChosen(const SystemConfig& system)
{
    return system.memory.defaultLocation != MemoryOptions().defaultLocation;
}

/// The chosen keys for which the job has none of the kinds.
std::vector<std::string>
FindKeysWithout(const SystemConfig& system, const LocalWorkKinds& kinds)
{
    const ComputeOptions& compute = system.compute;
    std::vector<std::string> keys;
    const auto addIf = [&keys](bool isIdle, const char* key)
    {
        if (isIdle)
        {
            keys.emplace_back(key);
        }
    };
    // Keys that only a roofline has, such as `peak`, are not listed, as `compute.model` stands for
    // them.
    addIf(!kinds.computes && compute.model != ComputeOptions::Model::Trace, "compute.model");
    addIf(!kinds.computes && compute.scale != 1, "compute.scale");
    addIf(!kinds.computes && !compute.perRank.empty(), "compute.per-rank");
    addIf(!kinds.accessesLocal && !IsSpeedOf(system.memory.local, MemoryOptions().local),
          "memory.local");
    addIf(!kinds.accessesRemote && !IsRemoteUsual(system.memory), "memory.remote");
    addIf(!kinds.accessesLocal && !kinds.accessesRemote && IsLocationChosen(system),
          "memory.default-location");
    return keys;
}

/// What the job lacks, of what the keys are for.
std::string
DescribeLack(const LocalWorkKinds& kinds, const std::vector<std::string>& keys)
{
    const bool isOfCompute = std::ranges::any_of(
        keys, [](const std::string& key) { return key.starts_with("compute."); });
    const bool isOfMemory = std::ranges::any_of(
        keys, [](const std::string& key) { return key.starts_with("memory."); });
    const bool hasNone = !kinds.computes && !kinds.accessesLocal && !kinds.accessesRemote;
    if (hasNone || (isOfCompute && !isOfMemory))
    {
        return "no rank computed anything";
    }
    if (isOfCompute)
    {
        return "no rank computed anything, nor accessed such memory";
    }
    if (keys.size() > 1 || keys.front() == "memory.default-location")
    {
        return "no rank accessed memory";
    }
    return fmt::format("no rank accessed {} memory",
                       keys.front() == "memory.local" ? "local" : "remote");
}

/// What the kernels of the job use of the shares of a roofline.
EfficiencyUse
FindEfficiencyUse(const Workload& workload)
{
    EfficiencyUse use;
    for (const ExecutionGraph& graph : workload.graphs)
    {
        for (const ExecutionNode& node : graph.Nodes())
        {
            if (IsKernel(FindRoute(node)))
            {
                ComputeModel::AddUse(DescribeWork(workload, graph, node, RankId{0}), use);
            }
        }
    }
    return use;
}

/// A sentence on the chosen shares at which nothing runs. Where kernels have a table, the roofline
/// is what is left, and is not judged.
///
/// It does not say that a share had no effect: operations of kinds with one rate are divided by it
/// together, and one by one otherwise, so that roundings may differ.
std::vector<std::string>
JudgeEfficiency(const RunInput& input)
{
    const KernelEfficiency& chosen = input.Config().system.compute.efficiency;
    if (chosen == KernelEfficiency() || input.Compute().Table() != nullptr)
    {
        return {};
    }
    const EfficiencyUse use = FindEfficiencyUse(input.Workload());
    const KernelEfficiency usual;
    std::vector<std::string> keys;
    const auto addIf = [&keys](bool isIdle, const char* key)
    {
        if (isIdle)
        {
            keys.emplace_back(key);
        }
    };
    addIf(chosen.gemm != usual.gemm && !use.gemm, "gemm");
    addIf(chosen.attention != usual.attention && !use.attention, "attention");
    addIf(chosen.other != usual.other && !use.other, "other");
    addIf(chosen.memory != usual.memory && !use.memory, "memory");
    if (keys.empty())
    {
        return {};
    }
    return {
        keys.size() == 1
            ? fmt::format("no kernel of the job runs at system.compute.efficiency.{}", keys.front())
            : fmt::format("no kernel of the job runs at these keys of "
                          "system.compute.efficiency: {}",
                          fmt::join(keys, ", "))};
}

} // namespace

std::vector<std::string>
FindIdleComputeKeys(const RunInput& input, const RunResults& results)
{
    const SystemConfig& system = input.Config().system;
    if (FindKeysWithout(system, {}).empty())
    {
        return {}; // none is chosen: the nodes need not be looked at
    }
    const LocalWorkKinds kinds = FindKinds(input, results);
    // The kernels of passes are made as a cluster serves, and none are kept.
    std::vector<std::string> sentences =
        kinds.computes && !results.serving ? JudgeEfficiency(input) : std::vector<std::string>();
    if (const std::vector<std::string> keys = FindKeysWithout(system, kinds); !keys.empty())
    {
        const std::string lack = DescribeLack(kinds, keys);
        sentences.push_back(keys.size() == 1
                                ? fmt::format("{}; system.{} had no effect", lack, keys.front())
                                : fmt::format("{}; these keys of system had no effect: {}",
                                              lack,
                                              fmt::join(keys, ", ")));
    }
    const bool isTrace = input.Config().workload.trace.has_value();
    if (IsLocationChosen(system) && !isTrace && (kinds.accessesLocal || kinds.accessesRemote))
    {
        sentences.emplace_back("only traces leave open where memory nodes go; "
                               "system.memory.default-location had no effect");
    }
    return sentences;
}

} // namespace nadi
