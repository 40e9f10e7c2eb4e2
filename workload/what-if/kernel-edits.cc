// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/kernel-edits.h"

#include "common/error.h"
#include "workload/what-if/graph-rewriter.h"
#include "workload/what-if/host/kernel-launches.h"
#include "workload/what-if/kernel-pattern.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// Rounded to the nearest. Counted in double, so numbers beyond 2^53 lose their last digits.
/// Throws ConfigError where the quotient passes `most`, which is what traces hold at most.
uint64_t
Divide(uint64_t number, double factor, int64_t most = std::numeric_limits<int64_t>::max())
{
    const double quotient = static_cast<double>(number) / factor;
    if (quotient >= static_cast<double>(most))
    {
        throw ConfigError("what-if: speed",
                          fmt::format("kernels that are {} times as fast have more nanoseconds, "
                                      "operations or bytes than a trace holds; write a larger "
                                      "factor",
                                      factor));
    }
    return static_cast<uint64_t>(std::llround(quotient));
}

void
Hasten(NodeCopy& copy, double factor)
{
    constexpr int64_t NS = 1000;
    ExecutionNode& node = copy.node;
    // Traces have whole nanoseconds.
    node.durationPs = static_cast<int64_t>(Divide(static_cast<uint64_t>(node.durationPs / NS),
                                                  factor,
                                                  std::numeric_limits<int64_t>::max() / NS)) *
                      NS;
    node.operations = Divide(node.operations, factor);
    node.size = Divide(node.size, factor);
    for (KernelLaunch& kernel : copy.kernels)
    {
        kernel.operations = Divide(kernel.operations, factor);
        kernel.bytes = Divide(kernel.bytes, factor);
    }
}

/// Whether a speed changes anything: a duration, or what a roofline would time the node by.
bool
HasTime(const NodeCopy& copy)
{
    return copy.node.durationPs > 0 || copy.node.operations > 0 || copy.node.size > 0 ||
           !copy.kernels.empty();
}

} // namespace

SpeedEdit
ChangeSpeed(Workload job, const std::string& pattern, double factor)
{
    KernelPattern kernels("speed", pattern);
    uint64_t withoutTime = 0;
    for (ExecutionGraph& graph : job.graphs)
    {
        const std::vector<bool> fits = kernels.FindIn(graph);
        graph = ChangeNodes(graph,
                            [&](uint32_t node, NodeCopy& copy)
                            {
                                if (fits[node])
                                {
                                    withoutTime += HasTime(copy) ? 0 : 1;
                                    Hasten(copy, factor);
                                }
                            });
    }
    // Asked behind the loop, as a pattern has to fit in one graph, but not in each.
    kernels.CheckFit();
    SpeedEdit edit{.job = std::move(job), .notes = {}};
    edit.notes.push_back(
        fmt::format("Kernels whose names fit \"{}\" are {} times as fast", pattern, factor));
    if (withoutTime > 0)
    {
        edit.notes.push_back(fmt::format("{} kernels whose names fit \"{}\", counted in the graphs "
                                         "that ranks share, have neither a recorded time nor "
                                         "operations or bytes, and stay as they are",
                                         withoutTime,
                                         pattern));
    }
    return edit;
}

std::optional<std::string>
NoteSeveralSpeeds(const Workload& job, const std::map<std::string, double>& speeds)
{
    uint64_t several = 0;
    std::set<std::string> patterns;
    for (const ExecutionGraph& graph : job.graphs)
    {
        std::vector<std::vector<std::string>> fitting(graph.NodeCount());
        for (const auto& [pattern, factor] : speeds)
        {
            const std::vector<bool> fits = KernelPattern("speed", pattern).FindIn(graph);
            for (uint32_t node = 0; node < graph.NodeCount(); ++node)
            {
                if (fits[node])
                {
                    fitting[node].push_back(fmt::format("\"{}\"", pattern));
                }
            }
        }
        for (const std::vector<std::string>& ofNode : fitting)
        {
            if (ofNode.size() > 1)
            {
                ++several;
                patterns.insert(ofNode.begin(), ofNode.end());
            }
        }
    }
    return several == 0 ? std::nullopt
                        : std::optional(fmt::format(
                              "{} kernels, counted in the graphs that ranks share, fit more than "
                              "one of the patterns {} of speed, and their factors multiply",
                              several,
                              fmt::join(patterns, ", ")));
}

void
CheckIsNotRemoved(const Workload& job,
                  const std::string& edit,
                  const std::string& pattern,
                  const std::string& removed)
{
    KernelPattern kernels(edit, pattern);
    KernelPattern gone("remove", removed);
    bool hasKernels = false;
    for (const ExecutionGraph& graph : job.graphs)
    {
        const std::vector<bool> fits = kernels.FindIn(graph);
        const std::vector<bool> isGone = gone.FindIn(graph);
        for (uint32_t node = 0; node < graph.NodeCount(); ++node)
        {
            // One kernel that stays is enough: the edit has something left.
            if (fits[node] && !isGone[node])
            {
                return;
            }
            // A pattern that fits nothing at all is told by the edit itself (CheckFit).
            hasKernels = hasKernels || fits[node];
        }
    }
    if (hasKernels)
    {
        throw ConfigError("what-if: " + edit,
                          fmt::format("remove={} takes out all kernels whose names fit \"{}\"; "
                                      "leave one of the two out",
                                      removed,
                                      pattern));
    }
}

Workload
RemoveKernels(Workload job, const std::string& pattern)
{
    KernelPattern kernels("remove", pattern);
    for (ExecutionGraph& graph : job.graphs)
    {
        std::vector<bool> isGone = kernels.FindIn(graph);
        // Operators that did nothing but launch what goes would cost time for nothing.
        AddLaunches(graph, FindParents(graph), isGone);
        graph = ChangeNodesWithout(graph, isGone, [](uint32_t, NodeCopy&) {});
    }
    kernels.CheckFit();
    return job;
}

} // namespace nadi
