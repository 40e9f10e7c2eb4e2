// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/registry.h"
#include "workload/workload.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// Where a generated job runs.
struct JobPlace
{
    uint32_t ranks = 1;
    /// The sizes of the logical stack, innermost first. A model that lays parallelism on dimensions
    /// wants their product to be `ranks`.
    std::vector<uint32_t> dimensions = {};
};

/// A kind of training whose traces are generated from a few numbers: `workload.generate`. One file
/// each in `models/`; the folder listing is the list of models.
///
/// A model is made from its parameters (Registry<WorkloadModel>::Make) and refuses those that no
/// job can have: its constructor, and Make, throw ConfigError with the name of the parameter as its
/// place.
///
/// Holds for every job that is made:
///   * ids count from 0 on each rank, and nodes depend on smaller ids only: the order of the ids is
///     the order in which the program would issue;
///   * collectives are called on groups of two ranks or more only;
///   * symmetric ranks share one graph: groups and peers are named by what they are to the rank;
///   * sizes are bytes; compute nodes have operations and bytes of memory, or a duration.
class WorkloadModel
{
  public:
    virtual ~WorkloadModel() = default;

    /// How many ranks the parameters ask for; nothing: any number will do.
    virtual std::optional<uint32_t> RankCount() const
    {
        return std::nullopt;
    }

    virtual Workload Make(const JobPlace& place) const = 0;
};

} // namespace nadi
