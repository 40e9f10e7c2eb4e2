// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace/node-record.h"
#include "workload/trace/schema.h"

namespace nadi
{

/// Whether the record has the attribute, with a value that means something: some writers give every
/// node an empty name of a group, and those of schema 0.0.1 a 0 where there is nothing.
bool Says(const NodeRecord& record, NodeAttribute attribute, TraceSchema schema);

/// The first attribute that the record says of those that only a transfer of data has: its type,
/// size, ends and tag. None: it says nothing.
NodeAttribute FindTransferAttribute(const NodeRecord& record, TraceSchema schema);

/// Likewise of those, or the group, which accesses to memory may have too.
NodeAttribute FindCommunicationAttribute(const NodeRecord& record, TraceSchema schema);

/// Likewise of the size and the group.
NodeAttribute FindSizeOrGroup(const NodeRecord& record, TraceSchema schema);

} // namespace nadi
