// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/graph-resizer.h"

#include "workload/models/kernel-work.h"
#include "workload/what-if/parameter-share.h"

namespace nadi
{

namespace
{

uint64_t
SumOver(const std::vector<KernelLaunch>& kernels, uint64_t KernelLaunch::*field)
{
    uint64_t sum = 0;
    for (const KernelLaunch& kernel : kernels)
    {
        sum += kernel.*field;
    }
    return sum;
}

/// A number of the whole task, which grows as the sum over its kernels does.
uint64_t
GrowWithKernels(uint64_t number, uint64_t before, uint64_t after)
{
    return before == 0 || number == before
               ? (number == before ? after : number)
               : ParameterShare{.after = after, .before = before}.Of(number);
}

void
ResizeWork(NodeCopy& task, const BlockWork& work, const SizeChange& change)
{
    const std::vector<KernelLaunch> before = task.kernels;
    for (size_t i = 0; i < task.kernels.size(); ++i)
    {
        task.kernels[i] = ResizeKernel(before[i], work.kernels[i], change.before, change.after);
    }
    task.node.operations = GrowWithKernels(task.node.operations,
                                           SumOver(before, &KernelLaunch::operations),
                                           SumOver(task.kernels, &KernelLaunch::operations));
    task.node.size = GrowWithKernels(task.node.size,
                                     SumOver(before, &KernelLaunch::bytes),
                                     SumOver(task.kernels, &KernelLaunch::bytes));
}

uint64_t
CountRegion(const std::vector<SizeMeaning>& region, const ShapeSizes& part)
{
    uint64_t count = 1;
    for (const SizeMeaning& size : region)
    {
        count = MultiplyCounts({count, ValueOf(size, part, 1)});
    }
    return count;
}

/// Its columns, where they are as many as the region has, change with those, rows with the rest.
void
ResizeOther(NodeCopy& task, const std::vector<SizeMeaning>& region, const SizeChange& change)
{
    const ParameterShare share{.after = CountRegion(region, change.after),
                               .before = CountRegion(region, change.before)};
    const uint64_t columns = ValueOf(region.back(), change.before, 1);
    const uint64_t newColumns = ValueOf(region.back(), change.after, 1);
    const std::vector<KernelLaunch> before = task.kernels;
    const int64_t durationPs = task.node.durationPs;
    const bool hasSizes = task.node.operations + task.node.size > 0 || !task.kernels.empty();
    task.ScaleWith(share);
    task.node.durationPs = hasSizes ? durationPs : task.node.durationPs;
    for (size_t i = 0; i < before.size(); ++i)
    {
        if (before[i].n == columns)
        {
            task.kernels[i].n = newColumns;
            task.kernels[i].m =
                ParameterShare{.after = share.after / newColumns, .before = share.before / columns}
                    .Of(before[i].m);
        }
    }
}

} // namespace

NodeCopy
ResizeTask(NodeCopy task, const TaskMeaning& meaning, const SizeChange& change, KernelTimer& timer)
{
    const NodeCopy before = task;
    if (meaning.work)
    {
        ResizeWork(task, *meaning.work, change);
    }
    else if (!meaning.region.empty())
    {
        ResizeOther(task, meaning.region, change);
    }
    else if (meaning.amount.kind != AmountKind::Fixed)
    {
        const ParameterShare share{.after = meaning.amount.Count(change.after, change.rules),
                                   .before = meaning.amount.Count(change.before, change.rules)};
        if (!meaning.isOptimizer)
        {
            task.node.size = share.Of(task.node.size);
            return task;
        }
        task.ScaleWith(share);
        task.node.durationPs = before.node.durationPs;
    }
    const bool isSame = task.node == before.node && task.kernels == before.kernels;
    task.node.durationPs = isSame || before.node.durationPs == 0 ? before.node.durationPs
                                                                 : timer.TimeAnew(before, task);
    return task;
}

} // namespace nadi
