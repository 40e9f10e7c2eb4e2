// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "proto/chakra.pb.h"
#include "workload/trace/schema.h"

#include <string_view>

namespace nadi
{

/// A node of schema 0.0.2 or 0.0.3, with all its attributes and lists, as 1.0.0 has it. Its lists
/// of inputs and outputs become texts, `["a", "b"]`. Throws WireError.
ChakraProtoMsg::Node DecodeProto2Node(std::string_view frame, TraceSchema schema);

/// The metadata of schema 0.0.3. Throws WireError, also for an attribute without a name.
ChakraProtoMsg::GlobalMetadata DecodeProto2Metadata(std::string_view frame, TraceSchema schema);

} // namespace nadi
