// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph-builder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// Which dependencies of a trace hold, as the user says it.
enum class DependencyPolicy : uint8_t
{
    Auto, ///< both, unless the control dependencies cannot be meant
    Data,
    Control,
    Both,
};

/// "auto", "data", "control", "both".
std::string_view ToText(DependencyPolicy policy);
std::optional<DependencyPolicy> FindDependencyPolicy(std::string_view text);
const std::vector<DependencyPolicy>& AllDependencyPolicies();

/// What a trace says of itself.
struct TraceMetadata
{
    std::string schema;        ///< attribute `schema`
    bool hasInputFile = false; ///< attribute `input_file`: converted from a text
    std::string inputXml;      ///< that text where it is XML, as of a collective; else empty

    /// Whether PyTorch's profiler recorded it; its schemas are versions: "1.1.1-chakra.0.0.4".
    bool IsPyTorch() const;

    /// Takes in attribute `input_file`.
    void SetInputFile(std::string_view text);
};

/// Which dependencies a graph is built with, and why others are not.
struct DependencyChoice
{
    DependencyKinds kinds = DependencyKinds::Both;
    /// Dependencies of the kind that does not count; only those that dangle, where these are the
    /// reason.
    uint64_t ignored = 0;
    std::string reason; ///< "control dependencies ...", when some are ignored
};

/// Auto is both, but data only when control dependencies point to nodes that are not in the file,
/// when the two together are cyclic, or when the trace is PyTorch's: there they say who called
/// whom, not who waits for whom.
DependencyChoice ChooseDependencies(const ExecutionGraphBuilder& builder,
                                    DependencyPolicy policy,
                                    const TraceMetadata& metadata);

} // namespace nadi
