// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "proto/chakra.pb.h"

#include <optional>
#include <set>
#include <string>

namespace nadi
{

/// Types of nodes, as the schema has them.
using SchemaNodeTypes = std::set<ChakraProtoMsg::NodeType>;

/// The type of this name, such as "COMP_NODE".
inline std::optional<ChakraProtoMsg::NodeType>
FindSchemaNodeType(const std::string& name)
{
    ChakraProtoMsg::NodeType type{};
    return ChakraProtoMsg::NodeType_Parse(name, &type) ? std::optional(type) : std::nullopt;
}

/// The names of all types, with commas between them.
inline std::string
ListSchemaNodeTypes()
{
    std::string names;
    for (int type = ChakraProtoMsg::NodeType_MIN; type <= ChakraProtoMsg::NodeType_MAX; ++type)
    {
        names += names.empty() ? "" : ", ";
        names += ChakraProtoMsg::NodeType_Name(type);
    }
    return names;
}

} // namespace nadi
