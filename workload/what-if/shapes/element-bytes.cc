// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/element-bytes.h"

#include <algorithm>
#include <vector>

namespace nadi
{

uint64_t
FindActivationBytes(const ExecutionGraph& graph,
                    const RankMeaning& meaning,
                    const ShapeSizes& part,
                    const ByteCounting& counting)
{
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        const Amount& amount = meaning.tasks[node].amount;
        // Calls come first, as new ones are to be like them. Kernels may work on numbers of another
        // type.
        if (amount.kind == AmountKind::Activation || amount.kind == AmountKind::ActivationShare)
        {
            return graph.Node(node).size / amount.Count(part, {});
        }
    }
    for (const uint32_t node : meaning.works)
    {
        const std::vector<KernelLaunch>& kernels = graph.KernelsOf(graph.Node(node));
        const auto product = std::ranges::find_if(kernels, IsProduct);
        if (product != kernels.end())
        {
            const auto index = static_cast<size_t>(product - kernels.begin());
            return FindRowNumberBytes({*product, meaning.tasks[node].work->kernels[index]},
                                      counting);
        }
    }
    return 2;
}

ByteCounting
ReadByteCounting(const Workload& job, const std::map<uint32_t, RankMeaning>& jobs)
{
    std::vector<MeantProduct> products;
    for (const auto& [index, meaning] : jobs)
    {
        const ExecutionGraph& graph = job.graphs[index];
        for (const uint32_t node : meaning.works)
        {
            const std::vector<KernelLaunch>& kernels = graph.KernelsOf(graph.Node(node));
            for (size_t i = 0; i < kernels.size(); ++i)
            {
                if (IsProduct(kernels[i]))
                {
                    products.push_back({kernels[i], meaning.tasks[node].work->kernels[i]});
                }
            }
        }
    }
    return FindByteCounting(products);
}

} // namespace nadi
