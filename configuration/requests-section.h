// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/field.h"
#include "workload/serving/generated-requests.h"

namespace nadi
{

/// `workload.serve.requests`: when requests come, and how long they are.
Field MakeRequestsField(ArrivalOptions& requests);

} // namespace nadi
