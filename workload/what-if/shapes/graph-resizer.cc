// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/graph-resizer.h"

#include "workload/models/kernel-work.h"
#include "workload/tools/fitting/kernel-kind.h"
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
    // A node that counts exactly what its kernels do does so afterwards, too, without rounding.
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
        task.kernels[i] = ResizeKernel(before[i], work.kernels[i], change);
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

ParameterShare
ShareOfRegion(const TaskMeaning& meaning, const SizeChange& change)
{
    const std::vector<SizeMeaning>& region =
        meaning.newRegion.empty() ? meaning.region : meaning.newRegion;
    return {.after = CountRegion(region, change.after),
            .before = CountRegion(meaning.region, change.before)};
}

/// Its columns, where they are as many as the region has, change with those, rows with the rest.
void
ResizeOther(NodeCopy& task, const TaskMeaning& meaning, const SizeChange& change)
{
    const ParameterShare share = ShareOfRegion(meaning, change);
    const uint64_t columns = ValueOf(meaning.region.back(), change.before, 1);
    const uint64_t newColumns = ValueOf(meaning.region.back(), change.after, 1);
    const std::vector<KernelLaunch> before = task.kernels;
    // The timer says the duration (ResizeTask), so what ScaleWith makes of it does not count.
    const int64_t durationPs = task.node.durationPs;
    task.ScaleWith(share);
    task.node.durationPs = durationPs;
    for (size_t i = 0; i < before.size(); ++i)
    {
        if (before[i].n == columns)
        {
            // The product of all sizes of the region has the columns as a factor, so both divisions
            // are exact.
            task.kernels[i].n = newColumns;
            task.kernels[i].m =
                ParameterShare{.after = share.after / newColumns, .before = share.before / columns}
                    .Of(before[i].m);
        }
    }
}

bool
HasSizes(const NodeCopy& task)
{
    return task.node.operations + task.node.size > 0 || !task.kernels.empty();
}

double
RatioOf(uint64_t after, uint64_t before)
{
    return before == 0 ? 1 : static_cast<double>(after) / static_cast<double>(before);
}

/// How the dimensions of the whole model change.
DimensionRatios
FindRatios(const SizeChange& change)
{
    const ShapeSizes& before = change.before;
    const ShapeSizes& after = change.after;
    return {.hidden = RatioOf(after.hidden, before.hidden),
            .microBatch = RatioOf(after.microBatch, before.microBatch),
            .sequence = RatioOf(after.sequence, before.sequence),
            // Parts of a rank times the degree are the whole, but for what rounding takes.
            .heads = RatioOf(after.heads * after.tensor, before.heads * before.tensor),
            .tensor = RatioOf(after.tensor, before.tensor),
            .vocabulary =
                RatioOf(after.vocabulary * after.tensor, before.vocabulary * before.tensor)};
}

/// A kernel that names no sizes takes as many times as long as what it works on grows; a product
/// grows as those of its kind.
int64_t
TimeUnsized(const NodeCopy& task,
            const TaskMeaning& meaning,
            const SizeChange& change,
            KernelTimer& timer)
{
    const KernelOp kind = FindNodeKind(task.name, task.kernels);
    if (kind == KernelOp::Gemm || kind == KernelOp::GroupedGemm || kind == KernelOp::BatchedGemm)
    {
        const bool isAtVocabulary = meaning.region.back().kind == SizeKind::Vocabulary;
        return timer.TimeByExponents(task,
                                     isAtVocabulary ? KernelPlace::Vocabulary : KernelPlace::Layer,
                                     FindRatios(change));
    }
    constexpr int64_t NS = 1000;
    const ParameterShare share = ShareOfRegion(meaning, change);
    return static_cast<int64_t>(share.Of(static_cast<uint64_t>(task.node.durationPs / NS))) * NS;
}

/// Of a collective, a message or an optimizer. What names no sizes but a duration takes as many
/// times as long.
void
ResizeAmount(NodeCopy& task, const TaskMeaning& meaning, const SizeChange& change)
{
    const ParameterShare share{.after = meaning.amount.Count(change.after, change.rules),
                               .before = meaning.amount.Count(change.before, change.rules)};
    if (share.before == 0)
    {
        return; // a rank without blocks, whose optimizer updates nothing that is known
    }
    if (!meaning.isOptimizer)
    {
        task.node.size = share.Of(task.node.size);
        return;
    }
    const int64_t durationPs = task.node.durationPs;
    const bool hasSizes = HasSizes(task);
    task.ScaleWith(share);
    task.node.durationPs = hasSizes ? durationPs : task.node.durationPs;
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
        ResizeOther(task, meaning, change);
    }
    else if (meaning.amount.kind != AmountKind::Fixed)
    {
        ResizeAmount(task, meaning, change);
    }
    // Collectives and messages have no region, so they keep their time.
    if (task.node.type != NodeType::Compute || !HasSizes(before))
    {
        task.node.durationPs = meaning.region.empty() ? task.node.durationPs
                                                      : TimeUnsized(before, meaning, change, timer);
        timer.NoteUnsized(before, task);
        return task;
    }
    const bool isSame = task.node == before.node && task.kernels == before.kernels;
    task.node.durationPs = isSame ? before.node.durationPs : timer.TimeAnew(before, task);
    return task;
}

} // namespace nadi
