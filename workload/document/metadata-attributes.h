// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"

#include <algorithm>
#include <string_view>

namespace nadi
{

/// The attribute of a trace that has this name; null where there is none.
inline const ChakraProtoMsg::AttributeProto*
FindMetadata(const ChakraProtoMsg::GlobalMetadata& metadata, std::string_view name)
{
    const auto found = std::ranges::find_if(metadata.attr(),
                                            [name](const ChakraProtoMsg::AttributeProto& known)
                                            { return known.name() == name; });
    return found == metadata.attr().end() ? nullptr : &*found;
}

} // namespace nadi
