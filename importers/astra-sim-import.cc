// SPDX-License-Identifier: GPL-2.0-only
#include "importers/astra-sim-import.h"

#include "common/error.h"
#include "configuration/yaml-writer.h"
#include "importers/astra-sim-memory.h"
#include "importers/astra-sim-network.h"
#include "importers/astra-sim-ns3-inputs.h"
#include "importers/astra-sim-system.h"
#include "importers/import-values.h"
#include "importers/ns3-config-file.h"

#include <fmt/format.h>

#include <set>

namespace nadi
{

namespace
{

namespace fs = std::filesystem;

/// As a configuration in `directory`, an absolute path, names the file. Paths of the command line
/// start from where the command runs, paths of a configuration from its own directory.
std::string
PathFrom(const fs::path& directory, const fs::path& path)
{
    return fs::proximate(fs::absolute(path), directory).string();
}

/// The first that exists of traces of ranks, a file of the very name, one trace for all ranks, and
/// a text workload.
///
/// Traces of ranks come first, as they are what ASTRA-sim 2.x reads of the prefix: files P and
/// P.txt beside them do not hide them.
fs::path
FindWorkload(const std::string& prefix)
{
    for (const char* ending : {".0.et", "", ".et", ".txt"})
    {
        if (fs::is_regular_file(prefix + ending))
        {
            return prefix + ending;
        }
    }
    throw ConfigError("--workload",
                      fmt::format("there is no {0}.0.et; name the prefix of traces, so that "
                                  "{0}.<rank>.et are files",
                                  prefix));
}

void
ImportWorkload(const std::string& prefix, const fs::path& directory, ImportDraft& draft)
{
    const fs::path found = FindWorkload(prefix);
    if (found.extension() == ".txt")
    {
        const std::string file = PathFrom(directory, found);
        draft.Set("workload.generate.model", "text");
        draft.Set("workload.generate.file", file);
        draft.NoteOption(
            "--workload", prefix, "workload.generate: {model: text, file: " + file + "}");
        return;
    }
    const std::string trace = found == prefix + ".0.et" ? PathFrom(directory, prefix) + ".{rank}.et"
                                                        : PathFrom(directory, found);
    draft.Set("workload.trace", trace);
    draft.NoteOption("--workload", prefix, "workload.trace: " + trace);
}

/// The dimensions that collectives see: those of the network, or there is no counterpart.
void
ImportLogicalTopology(const fs::path& file, const ImportedNetwork& network, ImportDraft& draft)
{
    const ImportFile topology = ReadImportFile(file, "--logical-topology");
    if (topology.root.Find("logical-dims") == nullptr)
    {
        const SourceDefaults defaults(topology.root, {});
        draft.Note(defaults.MakeNode({"logical-dims", "none"}), "network.dimensions: the same");
    }
    for (const ConfigNode& node : topology.root.children)
    {
        if (node.key != "logical-dims")
        {
            draft.DropUnknown(node, {"logical-dims"});
            continue;
        }
        const auto items = ReadItems(node);
        bool isSame = items.size() == network.dimensions.size();
        for (size_t d = 0; isSame && d < items.size(); ++d)
        {
            isSame = ReadWholeNumber(*items[d]) == network.dimensions[d].size;
        }
        if (!isSame)
        {
            node.Fail("differs from the dimensions of the network, which collectives follow; "
                      "write those of the network, or leave the file out");
        }
        draft.Note(node, "network.dimensions: the same");
    }
}

/// Throws ConfigError unless the group is a list of different ranks.
void
CheckGroup(const ConfigNode& group, uint64_t npus)
{
    if (group.kind != ConfigNode::Kind::List || group.children.empty())
    {
        group.Fail("lists no ranks; write them as [0, 1]");
    }
    std::set<uint32_t> ranks;
    for (const ConfigNode& member : group.children)
    {
        const uint32_t rank = ReadWholeNumber(member);
        if (rank >= npus)
        {
            member.Fail(fmt::format("rank {} is outside of the {} NPUs of the network; the last "
                                    "one is {}",
                                    rank,
                                    npus,
                                    npus - 1));
        }
        if (!ranks.insert(rank).second)
        {
            member.Fail(fmt::format("rank {} is in the group twice; list it once", rank));
        }
    }
}

/// Nadi reads files of groups in the same form, so the configuration names the file.
void
ImportGroups(const fs::path& file, const fs::path& directory, uint64_t npus, ImportDraft& draft)
{
    const ImportFile groups = ReadImportFile(file, "--comm-group");
    draft.Set("workload.groups", PathFrom(directory, file));
    for (const ConfigNode& node : groups.root.children)
    {
        CheckGroup(node, npus);
        draft.Note(node,
                   "workload.groups, which is that file; if it is not of all ranks, it runs as one "
                   "ring there, and with the algorithms of system here");
    }
}

ImportedNetwork
ImportAnalytical(const AstraSimInputs& inputs, ImportDraft& draft)
{
    const ImportFile file = ReadImportFile(inputs.network, "--network");
    ImportedNetwork network = ImportAstraSimNetwork(file.root, draft);
    if (inputs.logicalTopology)
    {
        ImportLogicalTopology(*inputs.logicalTopology, network, draft);
    }
    return network;
}

} // namespace

ImportedConfig
ImportAstraSim(const AstraSimInputs& inputs, const fs::path& file)
{
    const fs::path directory = fs::absolute(file).parent_path();
    ImportDraft draft;
    ImportWorkload(inputs.workload, directory, draft);
    const ImportFile systemFile = ReadImportFile(inputs.system, "--system");
    // Keys are written in the order in which they are first set. `system` is to stand before
    // `network`, but the network has to be read first: the mapping of algorithms needs its
    // dimensions.
    draft.Set("system", Json::object());
    std::optional<ImportedFile> topology;
    const ImportedNetwork network = IsNs3ConfigFile(inputs.network)
                                        ? ImportNs3Inputs(inputs, file, topology, draft)
                                        : ImportAnalytical(inputs, draft);
    if (inputs.groups)
    {
        ImportGroups(*inputs.groups, directory, network.NpuCount(), draft);
    }
    ImportAstraSimSystem(systemFile.root, network, draft);
    if (inputs.remoteMemory)
    {
        const ImportFile memory = ReadImportFile(*inputs.remoteMemory, "--remote-memory");
        ImportAstraSimMemory(memory.root, draft);
    }
    return {WriteYaml(draft.Configuration()), topology, draft.Lines()};
}

} // namespace nadi
