// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/exchange-splits.h"
#include "workload/execution-graph.h"
#include "workload/trace/node-record.h"

#include <string>

namespace nadi
{

/// What an all-to-all of a trace sends to each member of its group: attributes `in_split_size` and
/// `out_split_size`, lists of numbers of elements of the recorded tensor. The element has
/// comm_size / (sum of in_split_size) bytes, or elements of the job.
///
/// Null: no `in_split_size`, or an empty one, which is PyTorch's word for equal parts.
/// Throws NodeError: a list that is none, negative numbers, and sums that comm_size is no multiple
/// of. Requires: `node.size` is read.
SharedSplits
ReadSplits(const std::string& source, const NodeRecord& record, const ExecutionNode& node);

} // namespace nadi
