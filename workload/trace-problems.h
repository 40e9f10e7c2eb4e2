// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// How much something that is odd about a trace matters.
enum class Severity : uint8_t
{
    Note,    ///< the result is right; the user may want to know
    Warning, ///< the result may be other than the user expects
    Error,   ///< the result would be wrong, or the job would never finish
};

/// "note", "warning", "error".
std::string_view ToText(Severity severity);

/// A node, as messages name it.
struct TraceNodeName
{
    uint64_t id = 0;
    std::string name;

    bool operator==(const TraceNodeName&) const = default;
};

/// What makes a trace impossible to run.
struct TraceProblem
{
    std::string where; ///< the file
    /// What is wrong; what would be right: what follows the name of the node, or of the file.
    std::string text;
    /// The same as one sentence that names the node, for those who stop at the first problem.
    std::string message;
    std::vector<TraceNodeName> nodes; ///< whose problem it is; of a cycle all, in order
};

/// Is told what is wrong with traces while they are read and put together to a job. There is one
/// reader of traces: who runs them stops at the first problem (ThrowProblems), and who checks them
/// wants to hear of all.
class TraceListener
{
  public:
    virtual ~TraceListener() = default;

    /// Either throws, or lets the reader go on:
    /// * A node that cannot be run becomes one that does nothing and has the same dependencies.
    /// * A graph with a cycle, or with two nodes of one id, loses all of its dependencies.
    /// * A group keeps those of its ranks that are in the job.
    virtual void OnProblem(const TraceProblem& problem) = 0;

    /// Something of a node that a run gets along with: "has no type; write its type". The views
    /// live during the call.
    virtual void
    OnOddity(Severity severity, std::string_view text, uint64_t node, std::string_view name) = 0;
};

/// Throws each problem as a ConfigError and takes no notice of oddities, which are counted in the
/// notes of the trace.
TraceListener& ThrowProblems();

} // namespace nadi
