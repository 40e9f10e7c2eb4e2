// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "proto/chakra.pb.h"
#include "workload/trace/node-record.h"
#include "workload/trace/schema.h"

namespace nadi
{

/// A node of an older schema as schema 1.0.0 has it: a number of the node's type, and attributes
/// with the names of today. `src` becomes `comm_src`, `runtime` the field duration_micros, and
/// comm_type is numbered anew. What means nothing to a simulation keeps its name and value.
///
/// A type or a value that 1.0.0 does not have stays as it is, so that readers can refuse it.
void RenewNode(ChakraProtoMsg::Node& node, uint64_t type, TraceSchema schema);

/// The node that a record says, renewed. Lists are not in a record, and so are lost. Throws
/// WireError for text that is not UTF-8.
ChakraProtoMsg::Node MakeNode(const NodeRecord& record, TraceSchema schema);

} // namespace nadi
