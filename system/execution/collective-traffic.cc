// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/collective-traffic.h"

#include "common/check.h"

namespace nadi
{

/// TrafficOutlines lets none through of which a member ends at once.
void
CollectiveTraffic::Begin()
{
    NADI_CHECK(m_run.Start().empty());
}

} // namespace nadi
