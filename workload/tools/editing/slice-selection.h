// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/editing/node-types.h"
#include "workload/tools/editing/trace-job.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// Numbers from `first` to `last`, both included.
struct WholeRange
{
    uint64_t first = 0;
    uint64_t last = 0;

    bool Contains(uint64_t number) const
    {
        return first <= number && number <= last;
    }
};

/// Which nodes a slice keeps: those that meet every condition that is given.
struct SliceConditions
{
    std::optional<WholeRange> iterations = {}; ///< as FindIterations counts them
    /// Recorded starts, in nanoseconds after the first recorded start of all ranks.
    std::optional<int64_t> fromNanos = {};
    std::optional<int64_t> toNanos = {}; ///< excluded
    SchemaNodeTypes types = {};          ///< empty: all
    std::vector<WholeRange> nodes = {};  ///< ids, of every rank; empty: all
    std::vector<uint32_t> ranks = {};    ///< ascending; empty: all
};

/// Which nodes of a job are kept.
struct SliceSelection
{
    std::vector<std::vector<bool>> keep; ///< [rank][place in the document]
    std::vector<std::string> notes;      ///< how iterations were found
};

/// Throws ConfigError for iterations that a rank does not have, for times where no start was
/// recorded, and for ranks that are not there.
SliceSelection SelectNodes(const TraceJob& job, const SliceConditions& conditions);

/// Takes back what would not run: a message or a collective that not all of its ranks keep is kept
/// by none of them. Ranks that are cut off do not count as ranks of a collective. Returns how many
/// nodes that concerns.
uint64_t DropPartialCommunication(const TraceJob& job, SliceSelection& selection);

} // namespace nadi
