// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// What takes part of the memory of a rank.
struct MemoryPart
{
    std::string what;
    uint64_t bytes = 0;
    std::string evidence; ///< what tells its size, and what was assumed
};

/// What a rank keeps in its memory at most.
struct MemoryEstimate
{
    uint32_t rank = 0;
    std::vector<MemoryPart> parts; ///< parameters, gradients, optimizer states, activations

    uint64_t Sum() const;
};

/// Estimates the memory of the rank that needs most:
///
/// * Parameters P: the sums of gradients of a micro-batch say how many bytes of gradients there
///   are, and the numbers that the optimizer updates say how many numbers that is. Experts of a
///   single copy are what the optimizer updates beyond the sums. Without sums P is what the
///   optimizer updates, and without an optimizer the matrices of the products of a forward pass.
/// * A parameter and a gradient take the bytes of their types; gradients only where there is a
///   backward pass.
/// * Optimizer states: 12 bytes for each number that it updates, an fp32 copy and the two moments
///   of Adam.
/// * Activations: what kernels of forward passes write (FindKeptActivations), and receive from
///   other stages, for as many passes as were begun and not yet gone back through, in the order of
///   the passes.
///
/// Shards (ZeRO) are told by what copies do, those of experts and of all else apart:
/// reduce-scatters mean shards of the optimizer, in each micro-batch shards of gradients; gathers
/// in passes mean shards of parameters. A single micro-batch does not tell shards of the optimizer
/// alone from those of gradients too; they are taken to be of the optimizer alone, and the evidence
/// says so. Of what is in shards, parts are whole for a while (FindWholeShards).
/// Parameters that layers load from another memory, and gradients that they store there, are kept
/// only as long as they are worked on (FindStreamedParameters).
/// Buffers of communication, and what allocators waste, are not counted.
///
/// Requires: `structure` was found in `job`, and has layers.
MemoryEstimate EstimateFullestRank(const Workload& job, const JobStructure& structure);

} // namespace nadi
