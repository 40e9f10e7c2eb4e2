// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/conversion/pytorch-call.h"
#include "workload/trace/process-groups.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace nadi
{

/// Values of the inputs or outputs of an operator, with shapes and types, as JSON text.
struct PytorchValues
{
    std::string values = {};
    std::string shapes = {};
    std::string types = {};
};

/// An operator of a host execution trace.
struct PytorchHostNode
{
    using Value = std::variant<int64_t, uint64_t, double, std::string>;

    uint64_t id = 0;
    uint64_t parent = 0;         ///< the node around it; 0: none
    uint64_t recordFunction = 0; ///< 0 for the nodes that stand for threads and the process
    int64_t thread = 0;          ///< counted from 1; not what Kineto calls a thread
    std::string name = {};
    /// rf_id, seq_id, op_schema and others, under the names that Chakra traces use.
    std::vector<std::pair<std::string, Value>> attributes = {};
    PytorchValues inputs = {};
    PytorchValues outputs = {};
    std::optional<PytorchCall> call = {}; ///< where the operator tells of a collective
};

/// A host execution trace: the operators of one process, as PyTorch's ExecutionTraceObserver
/// records them, without times. Schemas 1.0.1 to 1.1.1.
struct PytorchHostTrace
{
    std::string source; ///< the file, for messages
    std::string schema;
    std::vector<PytorchHostNode> nodes; ///< in the order of the file
    ProcessGroups groups;               ///< of its nodes "process_group:init"
    uint64_t unreadableGroups = 0;      ///< such nodes that cannot be read
};

/// Reads a host execution trace, compressed or not. Throws ConfigError for what is none.
PytorchHostTrace ReadPytorchHostTrace(const std::string& path);
PytorchHostTrace ParsePytorchHostTrace(std::string contents, const std::string& source);

} // namespace nadi
