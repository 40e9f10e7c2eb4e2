// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

namespace nadi
{

/// Adds a note to the workload for sends that no receive takes, and one for receives to which
/// nothing is sent: counts, and the first of them. A send and a receive meet by source,
/// destination and tag.
///
/// Such a send ends when its bytes have arrived, so the job finishes; such a receive never ends.
void NoteUnmatchedMessages(Workload& workload);

} // namespace nadi
