// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-results.h"

namespace nadi
{

/// Whether switches that compute sent or received messages. Only where frames can be lost are these
/// acknowledged.
bool HasSwitchMessages(const RunResults& results);

/// Whether the mere possibility of losses, from buffers or faults, may have cost time: messages of
/// switches were acknowledged, or frames that came late were sent again.
bool HasLossCosts(const RunResults& results);

} // namespace nadi
