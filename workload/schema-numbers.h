// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "proto/chakra.pb.h"
#include "system/collective-type.h"
#include "workload/execution-graph.h"

namespace nadi
{

/// What schema 1.0.0 calls a type of node. Requires: it is neither Delay nor
/// Milestone, which the schema lacks.
ChakraProtoMsg::NodeType ToSchema(NodeType type);

/// What it calls a type of collective.
ChakraProtoMsg::CollectiveCommType ToSchema(CollectiveType type);

} // namespace nadi
