// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/message-programs/message-program.h"
#include "workload/execution-graph.h"

#include <optional>
#include <vector>

namespace nadi
{

/// A program for a collective of `size` (the whole buffer) as Chakra execution traces, one for each
/// rank, which ReadTraceProgram reads: a node for each send, receive and piece of local work. A
/// message of a trace that another one follows in its lane is named by the tag of its channel.
///
/// A node depends on what its step waits for. That a send comes after another one in its lane is
/// kept by dependencies on all that the other one waits for, since nodes that depend on a send wait
/// for its delivery. `reductionBandwidth` makes the time of what is reduced; none: no time.
std::vector<ExecutionGraph> MakeProgramTraces(const MessageProgram& program,
                                              Bytes size,
                                              const std::optional<Bandwidth>& reductionBandwidth);

} // namespace nadi
