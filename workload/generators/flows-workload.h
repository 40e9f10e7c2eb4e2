// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "workload/workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// One message of `workload.flows`; its number in the list is its name.
struct FlowSpec
{
    uint32_t source = 0;
    uint32_t destination = 0;
    Bytes size;
    SimTime start;
};

/// `workload.flows` of the configuration.
struct FlowsWorkloadOptions
{
    std::string where; ///< of the configuration, for errors
    uint32_t ranks = 0;
    std::vector<FlowSpec> flows;
};

/// Each flow is a send on its source and a receive on its destination, both issued at its start,
/// whatever the other flows do; its tag is its number in the list. Sizes are bytes.
///
/// Throws ConfigError for a flow from or to a rank that does not exist, or to its own source.
Workload MakeFlowsWorkload(const FlowsWorkloadOptions& options);

} // namespace nadi
