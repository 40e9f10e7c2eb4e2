// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/conversion/kineto-trace.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace nadi
{

/// What is wrong with an event of a Kineto trace.
class KinetoEventError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// The kind of the events of a category ("cpu_op", "Operator", "kernel", ...); absent for others.
std::optional<KinetoEvent::Kind> FindKinetoKind(const std::string& category);

/// Whether events of a category take no time of host or device that others do not tell of already:
/// arrows, frames of Python, the profiler's own spans.
bool IsSilentCategory(const std::string& category);

/// A complete event (phase "X"). Throws KinetoEventError for members that it lacks or whose values
/// are none.
KinetoEvent ReadKinetoEvent(KinetoEvent::Kind kind, const nlohmann::json& value);

/// A frame of Python (category "python_function") that is a module's; absent for other frames.
/// Throws KinetoEventError as ReadKinetoEvent does.
std::optional<KinetoModule> ReadKinetoModule(const nlohmann::json& value);

/// An instant event of the allocator of an accelerator.
struct KinetoMemoryEvent
{
    KinetoMemory memory;
    bool hasTotals = false; ///< else the event is of an old profiler, and says the change alone
};

/// What an instant event (phase "i") of the name "[memory]" says. Absent for events of other names,
/// and for memory of the host. Throws KinetoEventError for members that it lacks.
std::optional<KinetoMemoryEvent> ReadKinetoMemory(const nlohmann::json& value);

/// A time of microseconds, perhaps with a fraction, as nanoseconds. Throws KinetoEventError.
int64_t ReadKinetoNanos(const nlohmann::json& object, const char* member);

/// A list of ranks, as JSON or as its text; empty for anything else, such as a list that the
/// profiler cut off: "[0, 1, ..., 31]".
std::vector<uint32_t> ReadRankList(const nlohmann::json& value);

/// What the arguments of a kernel or of record_param_comms say of a collective: "Collective name",
/// "In msg nelems", "dtype", ... Absent without a name.
std::optional<PytorchCall> ReadKinetoCall(const nlohmann::json& arguments);

/// What an operator such as "nccl:all_reduce" says by its name and the sizes of its inputs.
std::optional<PytorchCall> ReadKinetoRange(const std::string& name,
                                           const nlohmann::json& arguments);

} // namespace nadi
