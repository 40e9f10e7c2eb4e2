// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/field.h"
#include "workload/serving/serve-options.h"

#include <vector>

namespace nadi
{

/// `workload.serve.instances`: what serves the model, and on which NPUs.
Field MakeInstancesField(std::vector<InstanceOptions>& instances);

} // namespace nadi
