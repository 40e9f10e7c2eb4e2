// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/trace/process-groups.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// What a tool makes of the traces of a job: the traces of another job, one rank after the other,
/// so that no more than one document has to be in memory.
///
/// Owner of nothing that it reads from: the job that it was made of outlives it.
class TraceEdit
{
  public:
    virtual ~TraceEdit() = default;

    virtual uint32_t RankCount() const = 0;

    /// The groups that the collectives of the new traces name; empty where they are all of all
    /// ranks, or define their groups themselves.
    virtual ProcessGroups Groups() const = 0;

    /// The new trace of a rank. Order: rank 0 first, each rank once.
    ///
    /// Throws ConfigError for traces that cannot be changed as was asked.
    virtual TraceDocument MakeDocument(uint32_t rank) = 0;

    /// What was taken otherwise than it stands, a sentence each. Requires: all documents are made.
    virtual std::vector<std::string> Notes() const = 0;
};

} // namespace nadi
