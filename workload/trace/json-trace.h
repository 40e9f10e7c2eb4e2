// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace/trace-file.h"

#include <string>
#include <string_view>

namespace nadi
{

/// Reads a trace in one of the JSON forms:
///
/// * the feeder's: `{"workload_graph": [{"Id": 1, "Name": ..., "NodeType": 4, ...}]}`;
/// * the jsonizer's: the metadata and then every node as objects one after the other, as protobuf
///   prints messages (`"dataDeps": ["1"]`, `"type": "COMP_NODE"`);
/// * the generator's: `{"nodes": [{"id": 1, "node_type": "comp_node", ...}]}`.
///
/// Throws ConfigError as ParseTrace does, and for what PyTorch's ExecutionTraceObserver writes,
/// which has to be linked with a device trace and converted first.
TraceFile
ParseJsonTrace(std::string_view contents, const std::string& source, const TraceReading& reading);

} // namespace nadi
