// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

#include <string>
#include <vector>

namespace nadi
{

/// Says which of the recorded times communication takes in a replay
/// (`workload.communication: recorded`), as the traces tell the waits or not, and which calls may
/// be too short. Adds nothing where communication is simulated.
void NoteReplay(const Workload& workload, std::vector<std::string>& notes);

} // namespace nadi
