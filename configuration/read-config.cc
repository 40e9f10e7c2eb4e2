// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "configuration/algorithm-settings.h"
#include "configuration/config-document.h"
#include "configuration/config-file.h"
#include "configuration/sections.h"
#include "configuration/topology-section.h"
#include "configuration/tree-algorithms.h"
#include "network/backend-kind.h"
#include "network/shape.h"
#include "network/topology-limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

namespace nadi
{

namespace
{

// A configuration is read in three steps. ConfigDocument puts files, includes and settings together
// into one tree. The sections then read each key by itself. Last come the checks of this file,
// about keys that exclude or need each other within a section or across sections. A check takes the
// node of a key without asking whether it is there: no default has the value that the check
// refuses, so somebody wrote the key.

/// The keys of `names` that `node` gives.
std::vector<const ConfigNode*>
FindGiven(const ConfigNode& node, const std::vector<std::string>& names)
{
    std::vector<const ConfigNode*> given;
    for (const std::string& name : names)
    {
        if (const ConfigNode* child = node.Find(name))
        {
            given.push_back(child);
        }
    }
    return given;
}

/// The one key of `names` that `node` gives; `choice` is their list for people.
const ConfigNode&
FindOnly(const ConfigNode& node, const std::vector<std::string>& names, const std::string& choice)
{
    const std::vector<const ConfigNode*> given = FindGiven(node, names);
    if (given.empty())
    {
        node.Fail("needs one of " + choice);
    }
    if (given.size() > 1)
    {
        given[1]->FailAtKey("cannot stand beside \"" + given[0]->key + "\"; keep one of " + choice);
    }
    return *given.front();
}

/// Keys of traces that would do nothing. Their defaults may stand: effective configurations have
/// them.
void
RefuseTraceKeys(const ConfigNode& node, const WorkloadConfig& workload)
{
    const WorkloadConfig defaults;
    const auto refuse = [&](const char* key, bool isDefault)
    {
        const ConfigNode* child = node.Find(key);
        if (child != nullptr && !isDefault)
        {
            child->FailAtKey("is for traces; remove it, or write \"trace\"");
        }
    };
    if (workload.whatIf && !workload.generate)
    {
        node.Find("what-if")->FailAtKey(
            "is for traces and generated models; remove it, or write \"trace\" or \"generate\"");
    }
    refuse("groups", !workload.groups);
    refuse("element-size", workload.elementSize == defaults.elementSize);
    refuse("communication", !workload.replaysCommunication);
    refuse("streams", workload.streams.empty());
    refuse("dependencies", workload.dependencies == defaults.dependencies);
}

void
CheckWorkload(const ConfigNode& node, WorkloadConfig& workload)
{
    const ConfigNode& work = FindOnly(node,
                                      {"trace", "collective", "flows", "generate", "serve"},
                                      "trace, collective, flows, generate and serve");
    workload.where = work.Where();
    if (!workload.trace)
    {
        RefuseTraceKeys(node, workload);
    }
    if (workload.whatIf && workload.dependencies != DependencyPolicy::Auto)
    {
        node.Find("dependencies")
            ->FailAtKey("what-if finds out which edges of its traces hold; remove it");
    }
}

/// A roofline has its rates from the system, whatever the traces are made for.
void
CheckAccelerator(const ConfigNode& node, const Config& config)
{
    if (config.workload.whatIf && config.workload.whatIf->gpu &&
        config.system.compute.model == ComputeOptions::Model::Roofline)
    {
        node.Find("workload")
            ->Find("what-if")
            ->Find("gpu")
            ->FailAtKey(
                "changes recorded durations, but system.compute.model is roofline; write peak and "
                "memory-bandwidth there, or model: trace");
    }
}

/// Speeds divide operations and bytes, and a table times the kernels that it has by their sizes. So
/// a speed would hold for some kernels and not for others.
void
CheckSpeeds(const ConfigNode& node, const Config& config)
{
    if (config.workload.whatIf && !config.workload.whatIf->speeds.empty() &&
        config.system.compute.kernels)
    {
        node.Find("workload")
            ->Find("what-if")
            ->Find("speed")
            ->FailAtKey("divides operations and bytes, but system.compute.kernels times kernels by "
                        "their sizes; remove speed and write the faster times into that table, or "
                        "remove the table");
    }
}

/// Those of all lines of each dimension.
void
CheckLinkCount(const ConfigNode& node, const NetworkConfig& network, uint64_t npus)
{
    // A dimension of s NPUs has npus / s lines. They are counted from the sizes alone, so that a
    // network that is too large is refused before its graph takes memory.
    double links = 0; // of as many as 2^64
    for (const Dimension& dimension : network.dimensions)
    {
        const auto shape = MakeShape(dimension.shape, "");
        links += static_cast<double>(shape->LinkCount(dimension.size)) *
                 static_cast<double>(npus / dimension.size);
    }
    if (links > static_cast<double>(MOST_LINKS))
    {
        node.Find("dimensions")
            ->Fail(fmt::format("more than {} links, each direction counted; write smaller sizes",
                               MOST_LINKS));
    }
}

void
CheckNetwork(const ConfigNode& node, const NetworkConfig& network)
{
    FindOnly(node, {"dimensions", "topology"}, "dimensions and topology");
    uint64_t npus = 1;
    for (const Dimension& dimension : network.dimensions)
    {
        npus *= dimension.size; // at most 2^22 x 2^22
        if (npus > MOST_VERTICES)
        {
            node.Find("dimensions")
                ->Fail(fmt::format("more than {} NPUs; write smaller sizes", MOST_VERTICES));
        }
    }
    CheckLinkCount(node, network, npus);
}

/// What a backend without frames would ignore, and what the user asks for in so many words.
void
CheckBackend(const ConfigNode& root, const Config& config)
{
    if (HasFrames(config.network.backend))
    {
        return;
    }
    const std::string advice =
        "remove it, or write network.backend: packet, not " + config.network.backend.name;
    if (!config.network.faults.empty())
    {
        root.Find("network")->Find("faults")->FailAtKey("only packets meet faults; " + advice);
    }
    if (!config.output.pcap.empty())
    {
        root.Find("output")->Find("pcap")->FailAtKey("only packets can be captured; " + advice);
    }
}

/// The nodes of requests are not known before the run.
void
CheckRecording(const ConfigNode& root, const Config& config)
{
    if (config.output.recording && config.workload.serve)
    {
        root.Find("output")
            ->Find("recording")
            ->FailAtKey("a cluster that serves requests cannot be recorded; remove it, "
                        "output.timeline shows "
                        "such runs");
    }
}

/// A network with dimensions is the logical stack itself, so there must not be a second one.
void
CheckStack(const Config& config)
{
    if (!config.system.dimensions.empty() && !FindDimensions(config.network).empty())
    {
        throw ConfigError(
            config.system.dimensionsWhere,
            std::string("system.dimensions: is for topologies without dimensions; "
                        "remove it: the stack is ") +
                (config.network.generator ? "that of network.topology" : "network.dimensions"));
    }
}

/// Checked only here, since the memories stand in `network` and the way to them in `system`.
void
CheckRemoteMemory(const Config& config)
{
    if (config.system.memory.through == MemoryOptions::Through::Network &&
        config.network.memories.empty())
    {
        throw ConfigError(config.system.remoteMemoryWhere,
                          "through: the network has no memories; write network.memories, such as "
                          "[{name: pool, attach: npu*, link: {bandwidth: 128 GB/s, latency: 500 "
                          "ns}}], or through: formula");
    }
}

} // namespace

/// A study has a configuration as its base, and looks like one.
void
RefuseStudy(const ConfigNode& root)
{
    if (const ConfigNode* base = root.Find("base"))
    {
        base->FailAtKey(
            "this is a study, as configurations have no base; run it with `nadi sweep`");
    }
}

/// The sections are bound to one Config, so reading, writing and the schema go over the same list.
Section
DescribeConfig(Config& config)
{
    Section section{
        MakeSectionField("workload", DescribeWorkload(config.workload), "What every rank does."),
        MakeSectionField("system",
                         DescribeSystem(config.system),
                         "How collectives, compute and memory work on each rank."),
        MakeSectionField(
            "network", DescribeNetwork(config.network), "The network that connects the NPUs."),
        MakeSectionField("output",
                         DescribeOutput(config.output),
                         "What the results have besides the tables that every run writes."),
        MakeField("seed",
                  config.seed,
                  MakeNumberCodec(0, std::numeric_limits<uint64_t>::max()),
                  "The seed of every random choice. Equal seeds give equal results."),
    };
    for (Field& field : section)
    {
        field.isRequired = field.name == "workload" || field.name == "network";
    }
    return section;
}

Config
ReadConfig(const std::filesystem::path& file, const std::vector<std::string>& settings)
{
    const ConfigDocument document(file, settings);
    Config config;
    config.file = file.string();
    RefuseStudy(document.Root());
    ReadSection(document.Root(), DescribeConfig(config));
    CheckWorkload(*document.Root().Find("workload"), config.workload);
    CheckNetwork(*document.Root().Find("network"), config.network);
    CheckAccelerator(document.Root(), config);
    CheckSpeeds(document.Root(), config);
    CheckBackend(document.Root(), config);
    CheckRecording(document.Root(), config);
    CheckStack(config);
    CheckRemoteMemory(config);
    // The algorithms of `system` depend on the shapes of `network`, so they are resolved here,
    // where both are read. The check of trees comes last: it needs the algorithm of each dimension,
    // and the size of an element.
    ResolveAlgorithms(config);
    // MakeElementSizeCodec has refused sizes beyond 32 bits.
    config.system.options.elementBytes = static_cast<uint32_t>(config.workload.elementSize.Count());
    // A backend is given its options and not the configuration, so they need the seed too.
    config.network.packet.seed = config.seed;
    CheckTreeAlgorithms(config, FindDimensions(config.network));
    return config;
}

} // namespace nadi
