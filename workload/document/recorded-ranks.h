// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/trace-document.h"

#include <cstdint>
#include <optional>
#include <string>

namespace nadi
{

/// Keeps how many ranks the recorded job had, which may be more than were recorded, as the
/// attribute `world_size` of the trace. Readers that do not know it pass it over.
void WriteRecordedRanks(uint32_t ranks, ChakraProtoMsg::GlobalMetadata& metadata);

/// What such an attribute says; nothing where there is none, or no number of ranks in it.
std::optional<uint32_t> ReadRecordedRanks(const ChakraProtoMsg::GlobalMetadata& metadata);

/// Takes it out: for a job of other ranks that is made of recorded ones.
void ForgetRecordedRanks(ChakraProtoMsg::GlobalMetadata& metadata);

/// Whether an attribute of a trace is this one.
bool IsRanksAttribute(const std::string& name);

} // namespace nadi
