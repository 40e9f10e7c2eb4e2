// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace/node-record.h"
#include "workload/trace/trace-file.h"

#include <string>
#include <string_view>

namespace nadi
{

/// Reads a binary trace of any schema. Throws as ParseTrace does.
TraceFile
ParseBinaryTrace(std::string_view contents, const std::string& source, const TraceReading& reading);

/// Decoders of one node; `record` is empty before. Unknown fields, and known ones of another wire
/// type, are skipped. Throw WireError.
void DecodeNodeV001(std::string_view frame, NodeRecord& record);
void DecodeNodeV003(std::string_view frame, NodeRecord& record); ///< and 0.0.2
void DecodeNodeV004(std::string_view frame, NodeRecord& record);

/// Decodes a metadata frame of any schema. Throws WireError.
TraceMetadata DecodeMetadata(std::string_view frame);

} // namespace nadi
