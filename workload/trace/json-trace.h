// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace/trace-file.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace nadi
{

/// The forms that ParseJsonTrace says.
enum class JsonTraceForm : uint8_t
{
    Feeder,
    Stream, ///< the jsonizer's
    Printed,
    Generator,
};

/// The form of a text; `document` is what it was parsed to, discarded where it is no JSON document.
/// Throws ConfigError for recordings of PyTorch, which are no traces yet.
JsonTraceForm FindJsonForm(const nlohmann::json& document, const std::string& source);

/// Reads a trace in one of the JSON forms:
///
/// * the feeder's: `{"workload_graph": [{"Id": 1, "Name": ..., "NodeType": 4, ...}]}`;
/// * the jsonizer's: the metadata and then every node as objects one after the other, as protobuf
///   prints messages (`"dataDeps": ["1"]`, `"type": "COMP_NODE"`);
/// * what `nadi trace export --format json` writes: `{"metadata": {...}, "nodes": [...]}`, each
///   message as protobuf prints it;
/// * the generator's: `{"nodes": [{"id": 1, "node_type": "comp_node", ...}]}`.
///
/// Throws ConfigError as ParseTrace does, and for what PyTorch's ExecutionTraceObserver writes,
/// which has to be linked with a device trace and converted first.
TraceFile
ParseJsonTrace(std::string_view contents, const std::string& source, DependencyPolicy policy);

} // namespace nadi
