// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <string>

namespace nadi
{

/// Ranks that hand on messages between their passes, and seem to be of one stage: a sentence, or
/// empty. Such messages lead from stage to stage, so the passes were not found as they are.
std::string FindMessagesWithinStage(const Workload& workload, const JobStructure& structure);

/// A rank that sends to itself, or ranks of which one sends another number of messages, or of
/// bytes, to the other than that one receives: they are not of one job. A sentence, or empty. Bytes
/// count where both name them; messages with ranks that the workload does not have are left out.
///
/// Time: messages, and pairs of ranks that exchange some.
std::string FindLostMessages(const Workload& workload);

} // namespace nadi
