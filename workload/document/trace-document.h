// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "proto/chakra.pb.h"
#include "workload/trace/schema.h"

#include <string>
#include <vector>

namespace nadi
{

/// A trace of one rank as schema 1.0.0 holds it, with nothing left out: every attribute, comment,
/// start time and shape. It is what tools work on that convert, change or print traces; a
/// simulation reads an ExecutionGraph, which is smaller and keeps only what it needs.
///
/// Nodes are in the order of the file. A node takes about 1 KB, so tools hold one rank at a time
/// where they can.
struct TraceDocument
{
    ChakraProtoMsg::GlobalMetadata metadata;
    std::vector<ChakraProtoMsg::Node> nodes;
    TraceSchema origin = TraceSchema::V004; ///< the schema that it was read from
};

/// Reads the bytes of a trace of any schema and form, compressed or not, into schema 1.0.0.
/// `source` is their file, for messages.
///
/// What older schemas call otherwise gets its name of today: `src` becomes `comm_src`, `runtime`
/// becomes duration_micros, numbers of types become those of 1.0.0. All other attributes keep name
/// and value.
///
/// Throws ConfigError for bytes that are no trace, with the byte and the nodes read so far, and for
/// text that is not UTF-8, which the schema cannot hold.
TraceDocument ParseDocument(std::string contents, const std::string& source);

/// ParseDocument of a file.
TraceDocument ReadDocument(const std::string& path);

/// The trace as a file: frames of a length and a protobuf message, the metadata first. Its version
/// is written as "1.0.0" where it is empty. Equal documents give equal bytes.
std::string FormatDocument(const TraceDocument& document);

} // namespace nadi
