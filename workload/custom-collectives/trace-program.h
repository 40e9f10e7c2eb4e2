// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/file-program.h"

#include <cstdint>
#include <string>

namespace nadi
{

/// Reads a collective algorithm from Chakra execution traces, one for each rank: `pattern` has
/// {rank}, which stands for the position in the group. Sends and receives are messages of their
/// sizes; compute nodes take their recorded time; data and control dependencies both hold; nothing
/// limits what runs at once. A send is done once it is delivered, as in all traces.
///
/// Nobody knows what the messages of a trace carry, so they are matched, and not proven
/// (FileProgram::isProven). A collective for whose size they carry too little is an error; with
/// `isScaled` all sizes are scaled by the size of the call over that of the largest collective for
/// which they carry enough.
///
/// Throws ConfigError as the reader of traces, for a collective node in a trace, and for messages
/// that do not meet or wait for each other in a circle.
FileProgram ReadTraceProgram(const std::string& pattern, bool isScaled);

/// The largest whole buffer (PlanRequest::elements, in bytes) of a collective for which messages of
/// `bytes` in all suffice; none: any, as no data moves.
std::optional<uint64_t> LargestBuffer(CollectiveType type, uint32_t ranks, uint64_t bytes);

} // namespace nadi
