// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"

#include <cstdint>

namespace nadi
{

/// Adds what recordings made by some tools lack: that work on one stream of the accelerator waited
/// for work on another one, such as a kernel for an all-reduce. Recorded times tell it: where all
/// that a node depends on, and all that started before it on its stream, ended more than 50 us
/// before the node started, and work on another stream ended at most 10 us before it, the node is
/// taken to have waited for that work, of several for what ended last.
///
/// Returns how many dependencies it added. Nodes without a stream are left alone.
uint64_t AddStreamWaits(TraceDocument& document);

} // namespace nadi
