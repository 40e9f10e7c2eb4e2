// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "proto/chakra.pb.h"
#include "workload/tools/conversion/pytorch-host-trace.h"

namespace nadi
{

/// Adds what a host trace tells of an operator to its node: attributes, inputs and outputs. Its
/// `tid` is left out, as threads are those of the Kineto trace.
void WriteHostNode(const PytorchHostNode& host, ChakraProtoMsg::Node& node);

} // namespace nadi
