// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/kernel-times/kernel-fusion.h"

#include "workload/tools/fitting/kernel-kind.h"
#include "workload/what-if/kernel-times/kernel-tensors.h"

#include <algorithm>
#include <cstdint>

namespace nadi
{

namespace
{

/// Bytes of the tensor that one kernel writes and the next reads; 0: their sizes do not tell.
uint64_t
FindTensorBetween(const NodeCopy& one, const NodeCopy& next)
{
    if (one.kernels.empty() || next.kernels.empty())
    {
        return 0;
    }
    const KernelLaunch& writer = one.kernels.back();
    const KernelLaunch& reader = next.kernels.front();
    // The same type and as many numbers are taken for the same tensor. What a kernel counts may be
    // less, as where it touches a part of a view; then sizes do not tell.
    const bool isSame = writer.type == reader.type && CountWritten(writer) == CountRead(reader);
    const uint64_t bytes = isSame ? CountWritten(writer) * SizeOf(writer.type) : 0;
    return bytes <= writer.bytes && bytes <= reader.bytes ? bytes : 0;
}

uint64_t
BytesOf(const NodeCopy& copy)
{
    const auto work = FindKernelWork(copy.node, copy.name, copy.kernels);
    return work ? work->bytes : 0;
}

uint64_t
OperationsOf(const NodeCopy& copy)
{
    const auto work = FindKernelWork(copy.node, copy.name, copy.kernels);
    return work ? work->operations : 0;
}

void
DropBytes(NodeCopy& copy)
{
    for (KernelLaunch& kernel : copy.kernels)
    {
        kernel.bytes = 0;
    }
}

bool
CountsWork(const NodeCopy& copy)
{
    // A node may leave its work to its kernels. A fused one does so where both parts do.
    return copy.node.operations > 0 || copy.node.size > 0;
}

/// `whole` and then `next`. Returns whether their sizes tell the tensor between them.
bool
Append(NodeCopy& whole, NodeCopy next)
{
    const uint64_t tensor = FindTensorBetween(whole, next);
    const uint64_t before = BytesOf(whole);
    const uint64_t after = BytesOf(next);
    const bool isTold = tensor > 0 && tensor <= before && tensor <= after;
    // The tensor stays on the chip: neither is it written nor read again.
    const uint64_t bytes = isTold ? before + after - 2 * tensor : std::max(before, after);
    const uint64_t operations = OperationsOf(whole) + OperationsOf(next);
    const bool counts = CountsWork(whole) || CountsWork(next);
    if (isTold)
    {
        whole.kernels.back().bytes -= tensor;
        next.kernels.front().bytes -= tensor;
    }
    else
    {
        // Bytes of kernels have to add up to those of the node, so the smaller ones go.
        DropBytes(before < after ? whole : next);
    }
    next.kernels.insert(next.kernels.begin(), whole.kernels.begin(), whole.kernels.end());
    next.name = whole.name + " + " + next.name;
    next.node.operations = counts ? operations : 0;
    next.node.size = counts ? bytes : 0;
    whole = std::move(next);
    return isTold;
}

} // namespace

FusedKernel
FuseKernels(const std::vector<NodeCopy>& parts)
{
    FusedKernel fused{parts.front()};
    for (size_t part = 1; part < parts.size(); ++part)
    {
        const bool isTold = Append(fused.whole, parts[part]);
        fused.isTrafficAssumed = fused.isTrafficAssumed || !isTold;
    }
    return fused;
}

} // namespace nadi
