// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/loss-costs.h"

namespace nadi
{

bool
HasSwitchMessages(const RunResults& results)
{
    return results.inNetwork &&
           (results.inNetwork->collectives > 0 || results.inNetwork->bytes > Bytes());
}

bool
HasLossCosts(const RunResults& results)
{
    return HasSwitchMessages(results) || results.totals.retransmissions > 0;
}

} // namespace nadi
