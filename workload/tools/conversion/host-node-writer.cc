// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/host-node-writer.h"

#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

namespace nadi
{

namespace
{

void
AddHostAttributes(const PytorchHostNode& host, ChakraProtoMsg::Node& node)
{
    for (const auto& [name, value] : host.attributes)
    {
        if (name == "tid")
        {
            continue;
        }
        ChakraProtoMsg::AttributeProto& attribute = *node.add_attr();
        attribute.set_name(name);
        std::visit(
            [&attribute](const auto& known)
            {
                using Known = std::decay_t<decltype(known)>;
                if constexpr (std::is_same_v<Known, std::string>)
                {
                    attribute.set_string_val(known);
                }
                else if constexpr (std::is_same_v<Known, double>)
                {
                    attribute.set_double_val(known);
                }
                else
                {
                    attribute.set_int64_val(static_cast<int64_t>(known));
                }
            },
            value);
    }
}

void
SetValues(const PytorchValues& values, ChakraProtoMsg::IOInfo& info)
{
    info.set_values(values.values);
    info.set_shapes(values.shapes);
    info.set_types(values.types);
}

} // namespace

void
WriteHostNode(const PytorchHostNode& host, ChakraProtoMsg::Node& node)
{
    AddHostAttributes(host, node);
    SetValues(host.inputs, *node.mutable_inputs());
    SetValues(host.outputs, *node.mutable_outputs());
}

} // namespace nadi
