// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "proto/chakra.pb.h"
#include "tests/support/test-paths.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Bytes of traces for tests: messages by hand (older schemas) and by the generated classes.

namespace nadi::test
{

inline std::string
Varint(uint64_t value)
{
    std::string bytes;
    for (; value >= 0x80; value >>= 7)
    {
        bytes += static_cast<char>((value & 0x7f) | 0x80);
    }
    return bytes + static_cast<char>(value);
}

inline std::string
NumberField(uint32_t number, uint64_t value)
{
    return Varint(uint64_t{number} << 3) + Varint(value);
}

inline std::string
TextField(uint32_t number, std::string_view text)
{
    return Varint((uint64_t{number} << 3) | 2) + Varint(text.size()) + std::string(text);
}

inline std::string
FloatField(uint32_t number, float value)
{
    std::string bytes(sizeof(value), '\0');
    std::memcpy(bytes.data(), &value, sizeof(value));
    return Varint((uint64_t{number} << 3) | 5) + bytes;
}

/// A message with its length before it.
inline std::string
Frame(std::string_view message)
{
    return Varint(message.size()) + std::string(message);
}

/// An attribute of schema 0.0.2 or 0.0.3 with a number in `field`; `type` is its AttributeType.
inline std::string
OldNumber(std::string_view name, uint32_t type, uint32_t field, uint64_t value)
{
    return TextField(11, TextField(1, name) + NumberField(2, type) + NumberField(field, value));
}

/// A node of schema 0.0.4 that grows by calls.
class TraceNode
{
  public:
    TraceNode(uint64_t id, ChakraProtoMsg::NodeType type, const std::string& name = "node")
    {
        m_node.set_id(id);
        m_node.set_type(type);
        m_node.set_name(name);
    }

    TraceNode& Data(uint64_t id)
    {
        m_node.add_data_deps(id);
        return *this;
    }

    TraceNode& Control(uint64_t id)
    {
        m_node.add_ctrl_deps(id);
        return *this;
    }

    TraceNode& Micros(uint64_t duration)
    {
        m_node.set_duration_micros(duration);
        return *this;
    }

    TraceNode& Int(const std::string& name, int64_t value)
    {
        Set(name).set_int64_val(value);
        return *this;
    }

    TraceNode& Text(const std::string& name, const std::string& value)
    {
        Set(name).set_string_val(value);
        return *this;
    }

    TraceNode& Cpu(bool value)
    {
        Set("is_cpu_op").set_bool_val(value);
        return *this;
    }

    /// The attribute of that name, to be given its value.
    ChakraProtoMsg::AttributeProto& Set(const std::string& name)
    {
        for (ChakraProtoMsg::AttributeProto& attribute : *m_node.mutable_attr())
        {
            if (attribute.name() == name)
            {
                return attribute;
            }
        }
        return Add(name);
    }

    /// One more attribute, also where the node has one of that name.
    ChakraProtoMsg::AttributeProto& Add(const std::string& name)
    {
        ChakraProtoMsg::AttributeProto& attribute = *m_node.add_attr();
        attribute.set_name(name);
        return attribute;
    }

    ChakraProtoMsg::Node& Message()
    {
        return m_node;
    }

  private:
    ChakraProtoMsg::Node m_node;
};

inline TraceNode
Kernel(uint64_t id)
{
    return TraceNode(id, ChakraProtoMsg::COMP_NODE).Cpu(false);
}

inline TraceNode
AllReduce(uint64_t id, const std::string& group = "")
{
    return TraceNode(id, ChakraProtoMsg::COMM_COLL_NODE)
        .Cpu(false)
        .Int("comm_type", ChakraProtoMsg::ALL_REDUCE)
        .Int("comm_size", 1024)
        .Text("pg_name", group);
}

/// A trace of schema 0.0.4; `schema` is the metadata's attribute, where not empty.
inline std::string
MakeTrace(std::vector<TraceNode> nodes, const std::string& schema = "")
{
    ChakraProtoMsg::GlobalMetadata metadata;
    metadata.set_version("0.0.4");
    if (!schema.empty())
    {
        ChakraProtoMsg::AttributeProto& attribute = *metadata.add_attr();
        attribute.set_name("schema");
        attribute.set_string_val(schema);
    }
    std::string bytes = Frame(metadata.SerializeAsString());
    for (TraceNode& node : nodes)
    {
        bytes += Frame(node.Message().SerializeAsString());
    }
    return bytes;
}

/// An empty folder of the test's own, removed at the end.
class ScratchFolder
{
  public:
    explicit ScratchFolder(const std::string& name)
        : m_path(std::filesystem::path(TEST_SCRATCH) / name)
    {
        std::filesystem::remove_all(m_path);
        std::filesystem::create_directories(m_path);
    }

    ~ScratchFolder()
    {
        std::error_code error;
        std::filesystem::remove_all(m_path, error);
    }

    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    /// The path of a file in it.
    std::string At(const std::string& name) const
    {
        return (m_path / name).string();
    }

    void Write(const std::string& name, std::string_view contents) const
    {
        std::ofstream(At(name), std::ios::binary) << contents;
    }

    std::string Path() const
    {
        return m_path.string();
    }

  private:
    std::filesystem::path m_path;
};

} // namespace nadi::test
