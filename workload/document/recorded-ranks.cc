// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/recorded-ranks.h"

#include "workload/document/metadata-attributes.h"

#include <algorithm>

namespace nadi
{

namespace
{

constexpr const char* RANKS_NAME = "world_size";

} // namespace

void
WriteRecordedRanks(uint32_t ranks, ChakraProtoMsg::GlobalMetadata& metadata)
{
    ChakraProtoMsg::AttributeProto& attribute = *metadata.add_attr();
    attribute.set_name(RANKS_NAME);
    attribute.set_int64_val(ranks);
}

std::optional<uint32_t>
ReadRecordedRanks(const ChakraProtoMsg::GlobalMetadata& metadata)
{
    const ChakraProtoMsg::AttributeProto* const attribute = FindMetadata(metadata, RANKS_NAME);
    // An attribute of another type reads as 0 here, which is no number of ranks.
    const int64_t ranks = attribute == nullptr ? 0 : attribute->int64_val();
    return ranks > 0 && ranks <= UINT32_MAX ? std::optional(static_cast<uint32_t>(ranks))
                                            : std::nullopt;
}

void
ForgetRecordedRanks(ChakraProtoMsg::GlobalMetadata& metadata)
{
    auto& attributes = *metadata.mutable_attr();
    const auto rest = std::remove_if(attributes.begin(),
                                     attributes.end(),
                                     [](const ChakraProtoMsg::AttributeProto& attribute)
                                     { return IsRanksAttribute(attribute.name()); });
    attributes.erase(rest, attributes.end());
}

bool
IsRanksAttribute(const std::string& name)
{
    return name == RANKS_NAME;
}

} // namespace nadi
