// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/error.h"
#include "configuration/config.h"

namespace nadi
{

/// What `action` returns, which looks for the files of `workload.trace`. The errors that it throws
/// name the pattern or a file; here the line and the key that gave the pattern are put before them.
template <class Action>
auto
AtTraceKey(const WorkloadConfig& workload, Action action)
{
    try
    {
        return action();
    }
    catch (const ConfigError& error)
    {
        throw ConfigError(workload.where, std::string("workload.trace: ") + error.what());
    }
}

} // namespace nadi
