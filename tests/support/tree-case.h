// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/topology.h"
#include "simulation/run-input.h"
#include "simulation/run-results.h"
#include "simulation/simulate.h"
#include "tests/support/frame-sizes.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

/// The links between the nodes of a tree and their parents, on one level.
struct TreeLevel
{
    uint32_t children = 2; ///< of each switch
    Bandwidth rate;
    SimTime latency;
};

/// A collective whose members are all NPUs of a tree of switches that compute, in one chunk: as
/// numbers, from which its time can be derived, and as a configuration.
///
/// Switches are named by their level and their number in it: sw1.0 is the first above the NPUs.
struct TreeCase
{
    std::vector<TreeLevel> levels; ///< from the NPUs up
    std::string type = "all-reduce";
    std::string algorithm = "in-network";
    Bytes size{};
    Bytes slice{PAYLOAD};
    std::optional<Bytes> window = std::nullopt; ///< none: auto
    SimTime switchLatency{};
    std::optional<Bandwidth> switchRate = std::nullopt; ///< none: that of the line
    SimTime endpointDelay = SimTime::FromNs(10);
    std::string backend = "packet";

    int64_t Height() const
    {
        return static_cast<int64_t>(levels.size());
    }

    /// Nodes of a level; level 0 has the NPUs.
    uint32_t NodeCount(size_t level) const
    {
        uint32_t nodes = 1;
        for (size_t above = level; above < levels.size(); ++above)
        {
            nodes *= levels[above].children;
        }
        return nodes;
    }

    static std::string NameOf(size_t level, uint32_t number)
    {
        return level == 0 ? fmt::format("npu{}", number) : fmt::format("sw{}.{}", level, number);
    }

    std::string TopologyText() const
    {
        std::string names;
        std::string links;
        for (size_t level = 0; level < levels.size(); ++level)
        {
            for (uint32_t node = 0; node < NodeCount(level + 1); ++node)
            {
                names += (names.empty() ? "" : ", ") + NameOf(level + 1, node);
            }
            for (uint32_t node = 0; node < NodeCount(level); ++node)
            {
                links +=
                    fmt::format("  - {{from: {}, to: {}, bandwidth: {} b/s, latency: {} ps}}\n",
                                NameOf(level, node),
                                NameOf(level + 1, node / levels[level].children),
                                levels[level].rate.BitsPerSecond(),
                                levels[level].latency.Ps());
            }
        }
        return fmt::format(
            "nodes: {{npus: {}, switches: [{}]}}\nlinks:\n{}", NodeCount(0), names, links);
    }

    std::string Yaml() const
    {
        const std::string call = type == "barrier" ? "" : fmt::format(", size: {} B", size.Count());
        return fmt::format("workload: {{collective: {{type: {}{}}}}}\n"
                           "system:\n"
                           "  chunks: 1\n"
                           "  endpoint-delay: {} ps\n"
                           "  collectives: {{{}: {{name: {}, slice: {} B, window: {}}}}}\n"
                           "network:\n"
                           "  backend: {}\n"
                           "  topology: {{file: t.yaml}}\n"
                           "  in-network: {{latency: {} ps, bandwidth: {}}}\n",
                           type,
                           call,
                           endpointDelay.Ps(),
                           type,
                           algorithm,
                           slice.Count(),
                           window ? fmt::format("{} B", window->Count()) : "auto",
                           backend,
                           switchLatency.Ps(),
                           switchRate ? fmt::format("{} b/s", switchRate->BitsPerSecond())
                                      : "line-rate");
    }

    RunResults Run(const std::vector<std::string>& settings = {}) const
    {
        const ScratchDirectory scratch("tree-case");
        scratch.Write("t.yaml", TopologyText());
        RunResults results = Simulate(scratch.Write("c.yaml", Yaml()), settings);
        REQUIRE(results.status == RunStatus::Done);
        return results;
    }

    /// Time of a frame of `payload` on the links of a level.
    SimTime FrameTime(size_t level, Bytes payload) const
    {
        return (payload + Bytes(HEADER)) / levels[level].rate;
    }

    /// Of the links on the way of one frame from an NPU to the root and down to another.
    SimTime WayUpAndDown(Bytes payload) const
    {
        SimTime time;
        for (size_t level = 0; level < levels.size(); ++level)
        {
            time += (FrameTime(level, payload) + levels[level].latency) * 2;
        }
        return time;
    }

    /// Of a frame, on the slowest links.
    SimTime SlowestFrame(Bytes payload) const
    {
        SimTime slowest;
        for (size_t level = 0; level < levels.size(); ++level)
        {
            slowest = std::max(slowest, FrameTime(level, payload));
        }
        return slowest;
    }
};

/// What a link carried, each way.
struct LinkLoad
{
    Bytes bytes;
    uint64_t packets = 0; ///< data frames

    bool operator==(const LinkLoad&) const = default;
};

/// By the names of the ends of links: what each carried, parallel links added up.
inline std::map<std::pair<std::string, std::string>, LinkLoad>
FindLoads(const Topology& topology, const RunResults& results)
{
    std::map<std::pair<std::string, std::string>, LinkLoad> loads;
    for (uint32_t id = 0; id < topology.LinkCount(); ++id)
    {
        const TopologyLink& link = topology.Link(LinkId{id});
        LinkLoad& load = loads[{topology.Vertex(link.from).name, topology.Vertex(link.to).name}];
        load.bytes += results.links[id].bytes;
        load.packets += results.links[id].packets;
    }
    return loads;
}

} // namespace nadi::test
