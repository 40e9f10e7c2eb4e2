// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "proto/chakra.pb.h"
#include "workload/tools/editing/neutral-names.h"

namespace nadi
{

/// Where the neutral names of a job come from; owned by the caller.
struct NeutralWords
{
    NeutralNames& names; ///< of nodes
    NeutralNames& texts;
    NeutralNames& attributes;
};

/// Takes out of a node what tells of the program, as Anonymisation says.
///
/// Requires: groups have neutral names already.
void AnonymiseNode(ChakraProtoMsg::Node& node, const NeutralWords& words);

/// Likewise of the metadata. Whether the reader takes the trace as PyTorch's stays.
void AnonymiseMetadata(ChakraProtoMsg::GlobalMetadata& metadata);

} // namespace nadi
