// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/equal-kernels.h"

#include "workload/tools/structure/task-signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace nadi
{

namespace
{

constexpr size_t FEWEST = 4;

/// The most equal kernels of a list that follow each other, but for what is none.
size_t
CountEqual(const TaskList& tasks, const SignatureOfTask& kernels)
{
    size_t most = 0;
    size_t count = 0;
    TaskSignature last = 0;
    for (const uint32_t task : tasks)
    {
        // Calls and messages between kernels do not end a row.
        if (const auto kernel = kernels.find(task); kernel != kernels.end())
        {
            count = count > 0 && kernel->second == last ? count + 1 : 1;
            last = kernel->second;
            most = std::max(most, count);
        }
    }
    return most;
}

} // namespace

std::string
FindEqualKernels(const Workload& workload, const JobStructure& structure)
{
    if (structure.evidence != StructureEvidence::Repetition || structure.hasBackward)
    {
        return "";
    }
    for (const RankStructure& rank : structure.ranks)
    {
        // A rank that shares the lists of another one has no passes, so its kernels need no
        // signing.
        const SignatureOfTask kernels =
            rank.passes.empty() ? SignatureOfTask()
                                : SignKernels(workload.GraphOf(RankId{rank.rank}), rank);
        for (const LayerRunPass& pass : rank.passes)
        {
            const size_t equal =
                std::max(CountEqual(pass.before, kernels), CountEqual(pass.after, kernels));
            if (equal >= std::max(FEWEST, 2 * pass.layers.size()))
            {
                return fmt::format("Rank {}: {} kernels in a row that are of no layer do the same "
                                   "work, so they may be layers too, and nothing tells where one "
                                   "begins. A recording whose names tell the layers does.",
                                   rank.rank,
                                   equal);
            }
        }
    }
    return "";
}

} // namespace nadi
