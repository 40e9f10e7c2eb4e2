// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/shapes/kernel-meaning.h"
#include "workload/what-if/shapes/size-sightings.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// A part of a model that the hidden width enters and leaves.
enum class BlockKind : uint8_t
{
    Attention,
    Mlp,
    SharedExperts,
    Router,
    Experts,
    Embedding,
    Head, ///< enters, and its result is as wide as the vocabulary
};

inline constexpr size_t BLOCK_KINDS = 7;

enum class WorkKind : uint8_t
{
    Forward,
    InputGradient,
    WeightGradient,
};

/// A compute node of a block.
struct BlockWork
{
    uint32_t node = 0;
    uint32_t block = 0; ///< of the segment, from 0
    BlockKind kind = BlockKind::Attention;
    WorkKind work = WorkKind::Forward;
    bool hasFirst = false;              ///< it has the first product of the block
    bool hasLast = false;               ///< it has the last one
    bool hasEnter = false;              ///< it has one that the hidden width enters
    std::vector<KernelMeaning> kernels; ///< by kernel of the node
};

/// A segment of a pass: one layer, or what is before or after all of them.
enum class SegmentPlace : uint8_t
{
    Before,
    Layer,
    After,
};

/// Tells what kernels of a forward segment count, from their place in the chain: the hidden width
/// enters a block as k of its first product and leaves it as n of its last. A node with several
/// products is a block of its own. Where nodes have one each, products before the attention of a
/// layer enter it, the next one leaves; of those that follow, which are of the MLP, the last
/// leaves. A single product outside layers is the head.
///
/// Throws ConfigError for products that do not stand so. Kernels that are no products and no
/// attention are left out, apart from copies of rows outside layers: an embedding.
std::vector<BlockWork>
ReadForwardWorks(const TaskList& tasks, SegmentPlace place, SizeSightings& sizes);

/// The same of the backward segment whose forward one is known. The products of each forward node
/// come back as those of the gradients of its inputs and of its weights; a node is taken for the
/// gradient of the last forward node of which it has the sizes, of the inputs first. Where there
/// are three nodes for each forward one, the first third is the forward pass once more.
///
/// Throws ConfigError where they do not come back so.
std::vector<BlockWork> ReadBackwardWorks(const TaskList& tasks,
                                         const std::vector<BlockWork>& forward,
                                         const SizeSightings& sizes);

} // namespace nadi
