// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/synthesis/call-matching.h"

namespace nadi
{

/// Sets the families of channels, and the series and numbers of calls (MasterCall).
///
/// Requires: the calls of a channel, receives apart, stand in the order in which they are matched,
/// and the send of a receive is its second predecessor.
void NumberSeries(MatchedCalls& matched);

} // namespace nadi
