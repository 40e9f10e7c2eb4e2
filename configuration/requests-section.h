// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/field.h"
#include "workload/serving/serve-options.h"

namespace nadi
{

/// `workload.serve.requests`: when requests come, and how long they are; drawn, or from a file.
Field MakeRequestsField(ServeOptions& serve);

} // namespace nadi
