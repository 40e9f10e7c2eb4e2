// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/field.h"
#include "workload/serving/serve-options.h"

#include <optional>

namespace nadi
{

/// `workload.serve`: a cluster that serves a model.
Field MakeServeField(std::optional<ServeOptions>& serve);

} // namespace nadi
