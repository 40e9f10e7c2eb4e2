// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "configuration/field.h"

/// \file
/// The keys of every section, one file each: what a user may write, where it goes, its default
/// (what the struct holds) and its help.

namespace nadi
{

Section DescribeWorkload(WorkloadConfig& workload);
Section DescribeSystem(SystemConfig& system);
Section DescribeNetwork(NetworkConfig& network);
Section DescribeOutput(OutputConfig& output);

/// The whole file. Fields bind to `config`, which must stay where it is.
Section DescribeConfig(Config& config);

} // namespace nadi
