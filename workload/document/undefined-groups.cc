// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/undefined-groups.h"

#include "workload/document/node-attributes.h"

#include <optional>
#include <utility>

namespace nadi
{

namespace
{

using ChakraProtoMsg::Node;

ProcessGroups
ReadOwnGroups(const TraceDocument& document)
{
    ProcessGroups groups;
    for (const Node& node : document.nodes)
    {
        const bool definesGroups = node.type() == ChakraProtoMsg::METADATA_NODE &&
                                   node.name().find("process_group:init") != std::string::npos;
        auto own = definesGroups ? ParseProcessGroups(node.inputs().values()) : std::nullopt;
        groups.merge(std::move(own).value_or(ProcessGroups()));
    }
    return groups;
}

/// What a node of the host names communicates nothing.
bool
UsesGroup(const Node& node)
{
    switch (node.type())
    {
    case ChakraProtoMsg::COMM_COLL_NODE:
    case ChakraProtoMsg::MEM_LOAD_NODE:
    case ChakraProtoMsg::MEM_STORE_NODE:
        return !ToBool(GetAttribute(node, NodeAttribute::IsCpu)).value_or(false);
    default:
        return false;
    }
}

} // namespace

std::set<std::string>
FindUndefinedGroups(const TraceDocument& document, const ProcessGroups& groupsFile)
{
    const ProcessGroups own = ReadOwnGroups(document);
    std::set<std::string> undefined;
    for (const Node& node : document.nodes)
    {
        const std::string name = ToText(GetAttribute(node, NodeAttribute::Group));
        const bool isDefined =
            MeansAllRanks(name) || groupsFile.contains(name) || own.contains(name);
        if (!isDefined && UsesGroup(node))
        {
            undefined.insert(name);
        }
    }
    return undefined;
}

} // namespace nadi
