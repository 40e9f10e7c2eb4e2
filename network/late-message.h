// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/message.h"
#include "network/topology.h"

namespace nadi
{

/// The clock ends before the message would arrive: throws std::overflow_error, which names it.
[[noreturn]] void ThrowTooLate(const Topology& topology, const Message& message);

} // namespace nadi
