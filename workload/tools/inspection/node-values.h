// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "proto/chakra.pb.h"
#include "workload/tools/inspection/trace-diff.h"

#include <vector>

namespace nadi
{

/// In what fields and attributes two nodes of one name differ, id and dependencies apart.
std::vector<ChangedValue> CompareNodeValues(const ChakraProtoMsg::Node& first,
                                            const ChakraProtoMsg::Node& second);

/// Likewise of the metadata of two traces.
std::vector<ChangedValue> CompareMetadata(const ChakraProtoMsg::GlobalMetadata& first,
                                          const ChakraProtoMsg::GlobalMetadata& second);

} // namespace nadi
