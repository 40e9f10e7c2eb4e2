// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"
#include "workload/tools/conversion/communication-writer.h"
#include "workload/tools/conversion/pytorch-host-trace.h"
#include "workload/tools/structure/task-order.h"
#include "workload/workload.h"

#include <string>
#include <vector>

namespace nadi
{

/// The operators of a host execution trace that do work, as nodes in the order in which they began.
///
/// An operator does work that calls no other one; those that only look at a tensor otherwise, or
/// allocate one (aten::view, aten::empty, ...), are left out. Operators that tell of a collective
/// are that collective, whatever they call. Ranges, modules and steps of the backward pass around
/// an operator are its scopes (GetScopes).
TraceDocument MakeHostDocument(const PytorchHostTrace& host, CommunicationWriter& communication);

/// A job of which only the host was recorded: nothing took time, and nothing depends on anything.
struct HostJob
{
    Workload workload;
    std::vector<RecordedOrder> orders; ///< by rank
    std::vector<std::string> notes;    ///< sentences
};

/// Reads the host execution traces of ranks. Throws ConfigError for files that are none, and for
/// those without an operator that does work.
HostJob ReadHostJob(const std::vector<std::string>& files);

} // namespace nadi
