// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config.h"
#include "configuration/field.h"

namespace nadi
{

/// `system.collectives.per-node`: which file has the algorithm of the calls by single nodes. A
/// mapping of ids of nodes to files, or the path of a YAML file that holds one, as ASTRA-sim's.
///
/// A file is MSCCL's XML, or `{rank}` stands in its name, or it is the prefix of traces
/// "prefix.{rank}.et". Paths are relative to the file in which they stand. Written: the mapping.
Field MakeNodeAlgorithmsField(SystemConfig& system);

} // namespace nadi
