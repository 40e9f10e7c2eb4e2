// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/request-source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace nadi
{

/// Which of the recorded requests are served, and when.
struct RequestTraceOptions
{
    std::string file;
    double speed = 1;              ///< divides all times
    std::optional<uint64_t> limit; ///< at most so many; none: all
};

/// The recorded requests of a file, read as they are asked for. Its form is found by its first
/// line: CSV of Azure's LLM inference traces, of BurstGPT, Vidur or Splitwise-sim; JSON lines of
/// Mooncake or LLMServingSim, also its sessions (docs/serving.md).
///
/// Throws ConfigError, now or when the line is reached, with file:line: an unknown form, a line
/// without tokens, a negative time, or one before that of the line before it.
std::unique_ptr<RequestSource> OpenRequestTrace(const RequestTraceOptions& options);

/// Whether `given` requests are as many as the options want.
inline bool
IsEnough(const RequestTraceOptions& options, uint64_t given)
{
    return options.limit && given >= *options.limit;
}

/// Throws ConfigError at `where` for a prompt or an answer without tokens, or with too many.
void CheckTokens(const Request& request, const std::string& where);

} // namespace nadi
