// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nadi
{

/// A generated job: graphs that symmetric ranks share, and what their names of groups and peers
/// mean to each rank.
struct GeneratedJob
{
    std::vector<ExecutionGraph> graphs;
    std::vector<uint32_t> graphOfRank;
    /// The ranks of a group as `rank` sees it, `rank` among them. Called for named groups only.
    std::function<std::vector<uint32_t>(uint32_t rank, const std::string& group)> groupOf;
    /// The peers of a rank; nothing: no graph sends or receives.
    std::function<std::vector<RankId>(uint32_t rank)> peersOf;
};

Workload MakeGeneratedWorkload(GeneratedJob job);

} // namespace nadi
