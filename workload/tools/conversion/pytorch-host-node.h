// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/conversion/pytorch-host-trace.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace nadi
{

/// A node of a host execution trace, flat as schema 1.0.1 has it or with `attrs` as those after it.
/// Throws std::runtime_error that says what is wrong with the node.
PytorchHostNode ReadPytorchHostNode(const nlohmann::json& value);

/// What `record_param_comms` says in its inputs, which are in order: the tensors (not of `wait` and
/// `barrier`), a request, the group, the rank of the partner, the name of the call, the splits of
/// input and output, and last the size of the group.
///
/// `outputs` are its outputs. Absent where the inputs have no name of a call.
std::optional<PytorchCall> ReadHostCall(const nlohmann::json& inputs,
                                        const nlohmann::json& outputs);

/// What an operator such as "nccl:all_reduce" says by its name and its inputs.
PytorchCall ReadHostRange(const std::string& name, const nlohmann::json& inputs);

} // namespace nadi
