// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "proto/chakra.pb.h"
#include "workload/tools/inspection/trace-diff.h"
#include "workload/trace/process-groups.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What the groups of a job are called, as far as it is known.
struct NamedGroups
{
    ProcessGroups groups;
    uint32_t rankCount = 0; ///< whom the group of all ranks has

    /// Nothing: the name is not known.
    std::optional<std::vector<uint32_t>> FindRanks(const std::string& name) const;
};

/// Of two jobs.
struct ComparedGroups
{
    NamedGroups first;
    NamedGroups second;
};

/// Compares the groups of two nodes by their ranks, where both are known: takes another name for
/// the same ranks out of `changes`, and puts the same name for other ranks in.
void CompareGroups(const ChakraProtoMsg::Node& first,
                   const ChakraProtoMsg::Node& second,
                   const ComparedGroups& groups,
                   std::vector<ChangedValue>& changes);

} // namespace nadi
