// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <ns3/nstime.h>
#include <ns3/simulator.h>

#include <functional>
#include <utility>

namespace nadi::test
{

/// An ns-3 event that an event loop knows nothing of, as the fabric's are.
inline void
ScheduleInFabric(SimTime delay, std::function<void()> action)
{
    ns3::Simulator::Schedule(ns3::TimeStep(static_cast<uint64_t>(delay.Ps())), std::move(action));
}

} // namespace nadi::test
