// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/message-programs/message-program.h"
#include "system/synthesis/route-model.h"
#include "system/synthesis/transfer-waits.h"
#include "system/synthesis/transfer.h"

#include <cstdint>

namespace nadi::synthesis
{

/// The program of a schedule.
///
/// A rank has a lane of receives for each rank that sends to it, then a lane of sends for each rank
/// that it sends to; the order of a lane is that of the schedule. A send waits for what brought its
/// chunk.
///
/// The chunks of an all-to-all are numbered (source * ranks + destination) * parts + part in the
/// schedule, and travel through places of scratch.
///
/// `buffers`: all but the scratch. `waits`: of the schedule; of an all-to-all, chunks are Moved.
MessageProgram WriteProgram(const RouteModel& model,
                            const Schedule& schedule,
                            const TransferWaits& waits,
                            ProgramBuffers buffers);

} // namespace nadi::synthesis
