// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-progress.h"
#include "simulation/simulation.h"
#include "tests/support/scratch-directory.h"
#include "workload/execution-graph-builder.h"
#include "workload/trace-writer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// Jobs whose ranks load from remote memory and store to it.

namespace nadi::test
{

struct MemoryNode
{
    NodeType type = NodeType::MemoryLoad;
    Bytes size;
    std::string group = {}; ///< of all ranks that name it; empty: the rank's own access
};

struct MemoryJob
{
    /// By rank: its accesses, which it starts together at time 0; node ids count from 1.
    std::vector<std::vector<MemoryNode>> ranks;
    std::string network; ///< the value of `network`, in braces
    std::string remote = "{through: network}";
    std::vector<std::string> settings = {};
    std::optional<uint64_t> scrambleSeed = std::nullopt;
};

/// Also checks that every port accounts for every byte.
inline RunResults
RunMemoryJob(const MemoryJob& job)
{
    const ScratchDirectory scratch("memory-job");
    for (size_t rank = 0; rank < job.ranks.size(); ++rank)
    {
        ExecutionGraphBuilder builder("memory");
        uint64_t id = 0;
        for (const MemoryNode& access : job.ranks[rank])
        {
            builder.AddNode({.id = ++id,
                             .size = static_cast<uint64_t>(access.size.Count()),
                             .group = builder.AddGroup(access.group),
                             .type = access.type,
                             .isRemote = true,
                             .isOfGroup = !access.group.empty()},
                            "access");
        }
        const std::string name = "t." + std::to_string(rank) + ".et";
        WriteTrace(builder.Build(), (scratch.Path() / name).string());
    }
    const auto file = scratch.Write("job.yaml",
                                    "workload: {trace: 't.{rank}.et'}\n"
                                    "system: {memory: {remote: " +
                                        job.remote + "}}\nnetwork: " + job.network + "\n");
    const RunInput input(file, job.settings, {.scrambleSeed = job.scrambleSeed});
    RunProgress progress;
    Simulation simulation(input, progress);
    RunResults results = simulation.Run();
    simulation.CheckConservation();
    return results;
}

} // namespace nadi::test
