// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/backend-notes.h"

#include "configuration/sections.h"
#include "network/backend-kind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

/// Keys of `network.packet` that every backend heeds, or that never change a result.
const std::vector<std::string> HEEDED{"payload", "header", "switch-latency", "trains", "memo"};

/// `network`, as it stands in an effective configuration.
///
/// Settings are compared as they are written, so that no list of them has to be kept here: a new
/// key of `network.packet` is among those that only packets heed until it is added to HEEDED.
Json
Write(NetworkConfig network)
{
    return WriteSection(DescribeNetwork(network));
}

/// Their names below `network`, in the order of the configuration.
std::vector<std::string>
FindUnheeded(const NetworkConfig& network)
{
    const Json given = Write(network);
    const Json defaults = Write({});
    std::vector<std::string> names;
    for (const auto& [key, value] : given["packet"].items())
    {
        const bool isHeeded = std::find(HEEDED.begin(), HEEDED.end(), key) != HEEDED.end();
        if (!isHeeded && value != defaults["packet"][key])
        {
            names.push_back("packet." + key);
        }
    }
    // These two keys stand beside `packet`, but are about frames as well.
    for (const char* key : {"ns3", "reroute-after"})
    {
        if (given[key] != defaults[key])
        {
            names.emplace_back(key);
        }
    }
    return names;
}

/// Where the run has to look into the network all the time.
std::vector<std::string>
FindMemoNotes(const Config& config)
{
    const bool looksInside = config.output.series || !config.output.pcap.empty();
    if (!config.network.packet.memo || !looksInside)
    {
        return {};
    }
    return {fmt::format("network.packet.memo has no effect with output.{}: the run takes longer",
                        config.output.series ? "series" : "pcap")};
}

/// A link that carries a long message seems idle until all of it counts at once.
std::vector<std::string>
FindSeriesNotes(const Config& config)
{
    if (!config.output.series || CountsOnTheWay(config.network.backend))
    {
        return {};
    }
    return {fmt::format("with backend: {} all bytes of a message count at the instant of its "
                        "delivery, so utilization of series.csv is no load over time: it may "
                        "exceed 1 in one interval, and be 0 while a message is on its way",
                        config.network.backend.name)};
}

std::vector<std::string>
FindUnheededNotes(const Config& config)
{
    const std::vector<std::string> names = FindUnheeded(config.network);
    if (names.empty())
    {
        return {};
    }
    return {fmt::format("network.{} {} no effect with backend: {}",
                        fmt::join(names, ", network."),
                        names.size() == 1 ? "has" : "have",
                        config.network.backend.name)};
}

} // namespace

std::vector<std::string>
FindBackendNotes(const Config& config)
{
    if (HasFrames(config.network.backend))
    {
        return FindMemoNotes(config);
    }
    std::vector<std::string> notes = FindUnheededNotes(config);
    for (std::string& note : FindSeriesNotes(config))
    {
        notes.push_back(std::move(note));
    }
    return notes;
}

} // namespace nadi
