// SPDX-License-Identifier: GPL-2.0-only
#include "importers/astra-sim-ns3-inputs.h"

#include "common/error.h"
#include "common/text.h"
#include "importers/astra-sim-ns3.h"
#include "importers/ns3-config-file.h"
#include "importers/ns3-topology-reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

namespace fs = std::filesystem;

/// The file that TOPOLOGY_FILE names: from the directory of the configuration, or from here.
fs::path
FindTopologyFile(const ConfigNode& root)
{
    const ConfigNode* node = root.Find("TOPOLOGY_FILE");
    if (node == nullptr)
    {
        root.Fail("key TOPOLOGY_FILE is missing; name the file of nodes and links");
    }
    const fs::path path = node->Scalar("the path of a topology file");
    const fs::path beside = node->source->directory / path;
    for (const fs::path& candidate : {beside, path})
    {
        if (fs::is_regular_file(candidate))
        {
            return candidate;
        }
    }
    node->Fail("there is no file \"" + path.string() +
               "\", neither from the directory of this "
               "file nor from here; write its path");
}

/// "none", "sw8", "sw8 to sw11".
std::string
DescribeNames(const std::vector<std::string>& names)
{
    if (names.empty())
    {
        return "none";
    }
    return names.size() == 1 ? names.front() : names.front() + " to " + names.back();
}

std::string
DescribeNpus(uint32_t count)
{
    return count == 1 ? "npu0" : fmt::format("npu0 to npu{}", count - 1);
}

/// Links that join two nodes which an earlier one joins.
size_t
CountParallel(const ExplicitTopology& graph)
{
    std::set<std::pair<std::string, std::string>> pairs;
    for (const LinkSpec& link : graph.links)
    {
        // Links have no direction, so both orders of their ends are one pair.
        pairs.insert(std::minmax(link.from, link.to));
    }
    return graph.links.size() - pairs.size();
}

void
NoteTopology(const Ns3Topology& topology, const std::string& name, ImportDraft& draft)
{
    const ConfigNode& header = topology.header.root;
    const ExplicitTopology& graph = topology.graph;
    draft.Note(header.children[0],
               fmt::format("{}: {}, in the order of their ids{}",
                           name,
                           DescribeNpus(graph.npuCount),
                           topology.areHostsFirst ? "" : "; there ranks are ids"));
    draft.Note(header.children[1], name + ": " + DescribeNames(graph.switches));
    const size_t parallel = CountParallel(graph);
    const std::string note =
        fmt::format("; {} of them beside another, which carry messages too (there only the last "
                    "of parallel links does)",
                    parallel);
    draft.Note(
        header.children[2],
        fmt::format(
            "{}: {}{}", name, CountText(graph.links.size(), "link"), parallel > 0 ? note : ""));
}

/// Sizes whose product is the number of hosts.
ImportedNetwork
ImportLogicalDimensions(const ConfigNode& node, uint32_t hosts, ImportDraft& draft)
{
    ImportedNetwork network;
    Json sizes = Json::array();
    for (const ConfigNode* item : ReadItems(node))
    {
        const uint32_t size = ReadWholeNumber(*item);
        // Only collectives see these dimensions. The network is the graph of the topology file, so
        // a dimension has no shape, and no ring counts as a two-way one.
        network.dimensions.push_back({.shape = "", .size = size});
        sizes.push_back(size);
    }
    if (network.NpuCount() != hosts)
    {
        node.Fail(fmt::format("{} has {} NPUs, but the topology has {} hosts; write sizes whose "
                              "product is that",
                              DescribeValue(node),
                              network.NpuCount(),
                              hosts));
    }
    draft.Map(node, "system.dimensions", sizes);
    return network;
}

ImportedNetwork
ImportLogicalTopology(const std::optional<fs::path>& file, uint32_t hosts, ImportDraft& draft)
{
    const std::string option = "--logical-topology";
    if (!file)
    {
        throw ConfigError(option,
                          "is missing; collectives on a network of the ns-3 backend follow it, "
                          "such as {\"logical-dims\": [\"8\"]}");
    }
    const ImportFile logical = ReadImportFile(*file, option);
    const ConfigNode* dimensions = logical.root.Find("logical-dims");
    if (dimensions == nullptr)
    {
        logical.root.Fail("key \"logical-dims\" is missing; write {\"logical-dims\": [\"8\"]}");
    }
    for (const ConfigNode& node : logical.root.children)
    {
        if (&node != dimensions)
        {
            draft.DropUnknown(node, {"logical-dims"});
        }
    }
    return ImportLogicalDimensions(*dimensions, hosts, draft);
}

} // namespace

// The topology is read before the keys of the configuration are mapped, because many of them need
// it: thresholds go by the rates of ports, failures by the names of nodes.
ImportedNetwork
ImportNs3Inputs(const AstraSimInputs& inputs,
                const fs::path& file,
                std::optional<ImportedFile>& topology,
                ImportDraft& draft)
{
    const ImportFile config = ReadNs3ConfigFile(inputs.network);
    const fs::path source = FindTopologyFile(config.root);
    const Ns3Topology read =
        ReadNs3Topology(source, config.root.Find("TOPOLOGY_FILE")->Where() + ": TOPOLOGY_FILE");
    const fs::path name = file.stem().string() + "-topology.yaml";
    topology = ImportedFile{fs::path(file).replace_filename(name), WriteTopologyFile(read.graph)};
    // Without a directory: paths in a configuration start from where it is itself, and the topology
    // is written beside it.
    draft.Set("network.topology.file", name.string());
    ImportNs3Config(config.root, read, draft);
    NoteTopology(read, name.string(), draft);
    return ImportLogicalTopology(inputs.logicalTopology, read.graph.npuCount, draft);
}

} // namespace nadi
