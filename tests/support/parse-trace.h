// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "tests/support/config-error-text.h"
#include "tests/support/trace-bytes.h"
#include "workload/trace/trace-file.h"

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// Parsing what a test wrote: a trace of nodes is the file test.et, a text is test.json.

namespace nadi::test
{

inline constexpr int64_t PS_PER_US = 1'000'000;

inline TraceFile
ParseNodes(const std::vector<TraceNode>& nodes,
           DependencyPolicy policy = DependencyPolicy::Auto,
           const std::string& schema = "")
{
    return ParseTrace(MakeTrace(nodes, schema), "test.et", policy);
}

/// What the user reads of a trace of this node alone; empty: it is valid.
inline std::string
NodeErrorOf(const TraceNode& node)
{
    return ConfigErrorText([&] { ParseNodes({node}); });
}

inline TraceFile
ParseJson(const std::string& text)
{
    return ParseTrace(text, "test.json", DependencyPolicy::Auto);
}

inline std::string
JsonErrorOf(const std::string& text)
{
    return ConfigErrorText([&] { ParseJson(text); });
}

} // namespace nadi::test
