// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/product-widths.h"

namespace nadi
{

std::set<uint64_t>
ListProductWidths(const ExecutionGraph& graph, const TaskList& tasks)
{
    std::set<uint64_t> widths;
    for (const uint32_t task : tasks)
    {
        for (const KernelLaunch& kernel : graph.KernelsOf(graph.Node(task)))
        {
            if (kernel.op == KernelOp::Gemm || kernel.op == KernelOp::GroupedGemm)
            {
                widths.insert(kernel.k);
            }
        }
    }
    return widths;
}

} // namespace nadi
