// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/field.h"
#include "workload/workload.h"

#include <vector>

namespace nadi
{

/// `workload.streams`: which tags of messages have which kind, as a list of {name, tags}, where
/// tags is `7` or `1000..1999`. Refuses ranges that meet.
Field MakeStreamsField(std::vector<TagKind>& kinds);

} // namespace nadi
