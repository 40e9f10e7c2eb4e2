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

/// Whom a memory is for, as Nadi's `shared` says it.
std::string
ReadSharing(const ConfigNode& node)
{
    return Translate(node,
                     {{"NO_MEMORY_EXPANSION", "no"},
                      {"PER_NPU_MEMORY_EXPANSION", "no"},
                      {"PER_NODE_MEMORY_EXPANSION", "node"},
                      {"MEMORY_POOL", "all"}});
}

/// Every memory node of a trace is of the remote memory there, whatever its attributes say, and
/// fails where there is none.
void
ImportMemoryType(const ConfigNode& node, ImportDraft& draft)
{
    draft.Map(node, "system.memory.remote.shared", ReadSharing(node));
    if (node.text != "NO_MEMORY_EXPANSION")
    {
        draft.Set("system.memory.default-location", "remote");
        draft.Note(node,
                   "system.memory.default-location: remote (there all memory nodes are; here those "
                   "whose tensor_loc says local are not)");
    }
}

/// The NPUs of a node, where the file tells them.
const ConfigNode*
FindNpusPerNode(const ConfigNode& root)
{
    const ConfigNode* const node = root.Find("num-npus-per-node");
    return node != nullptr && ReadWholeNumber(*node) > 0 ? node : nullptr;
}

} // namespace

void
ImportAstraSimMemory(const ConfigNode& root, ImportDraft& draft)
{
    const std::string path = "system.memory.remote.";
    const SourceDefaults defaults(root, MEMORY_DEFAULTS);
    const ConfigNode& complete = defaults.Complete();
    const ConfigNode& type = *complete.Find("memory-type");
    const bool isOfNode = ReadSharing(type) == "node";
    if (isOfNode && FindNpusPerNode(complete) == nullptr)
    {
        type.Fail("needs the key \"num-npus-per-node\", a number from 1");
    }
    for (const ConfigNode& node : complete.children)
    {
        if (node.key == "memory-type")
        {
            ImportMemoryType(node, draft);
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
        else if (node.key == "num-npus-per-node" && !isOfNode)
        {
            draft.Drop(node, "of PER_NODE_MEMORY_EXPANSION, and the memory is another");
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
