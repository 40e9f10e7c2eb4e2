// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace/schema.h"

#include <string_view>

namespace nadi
{

/// Whether a frame is a GlobalMetadata and no node: only fields 1 and 2, both text, and an empty
/// frame too. Never throws.
bool IsMetadataFrame(std::string_view frame);

/// The schema of a binary trace, from the fields and wire types of its first nodes.
///
/// * Fields 4 or 10 hold messages or packed numbers, or field 11 a storage level: 0.0.4.
/// * Field 11 holds attributes, or 6 and 7 text: 0.0.3, or 0.0.2 where a value stands in a field
///   that only 0.0.2 uses with that wire type. They differ in how they number node types.
/// * Only numbers in fields past 2, and no metadata frame: 0.0.1, which never had one.
/// * Else 0.0.4.
///
/// Never throws: bytes that are no message tell nothing, and are refused when they are read.
TraceSchema SniffSchema(std::string_view file);

/// Whether the contents of a file are JSON text and not a binary trace, whose first bytes can
/// look like a brace.
bool LooksLikeJson(std::string_view contents);

} // namespace nadi
