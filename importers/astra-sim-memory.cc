// SPDX-License-Identifier: GPL-2.0-only
#include "importers/astra-sim-memory.h"

#include "common/unit-parser.h"
#include "importers/import-values.h"

namespace nadi
{

namespace
{

/// What the source takes for keys that are absent.
const std::vector<SourceDefault> MEMORY_DEFAULTS{
    {"memory-type", "NO_MEMORY_EXPANSION"}, {"remote-mem-latency", "0"}, {"remote-mem-bw", "0"}};

} // namespace

void
ImportAstraSimMemory(const ConfigNode& root, ImportDraft& draft)
{
    const std::string path = "system.memory.remote.";
    const SourceDefaults defaults(root, MEMORY_DEFAULTS);
    for (const ConfigNode& node : defaults.Complete().children)
    {
        if (node.key == "memory-type")
        {
            draft.Map(node,
                      path + "shared",
                      Translate(node,
                                {{"NO_MEMORY_EXPANSION", "no"},
                                 {"PER_NPU_MEMORY_EXPANSION", "no"},
                                 {"PER_NODE_MEMORY_EXPANSION", "node"},
                                 {"MEMORY_POOL", "all"}}));
        }
        else if (node.key == "remote-mem-latency")
        {
            draft.Map(node, path + "latency", ToText(ReadNanoseconds(node)));
        }
        else if (node.key == "remote-mem-bw" && ReadNumber(node) == 0)
        {
            draft.Drop(node,
                       "a rate of 0 is none; system.memory.remote.bandwidth has Nadi's default");
        }
        else if (node.key == "remote-mem-bw")
        {
            draft.Map(node, path + "bandwidth", GigabytesText(node, 1));
        }
        else if (node.key == "num-nodes" ||
                 (node.key == "num-npus-per-node" && ReadWholeNumber(node) == 0))
        {
            draft.Note(node, "nothing: it follows from the rest");
        }
        else if (node.key == "num-npus-per-node")
        {
            draft.Map(node, path + "ranks-per-node", ReadWholeNumber(node));
        }
        else
        {
            draft.DropUnknown(node,
                              {"memory-type",
                               "remote-mem-latency",
                               "remote-mem-bw",
                               "num-nodes",
                               "num-npus-per-node"});
        }
    }
}

} // namespace nadi
