// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"

namespace nadi
{

/// While it lives, the first SIGINT or SIGTERM stops `loop` after its present event; a second one
/// of the same kind ends the process at once, as signals do.
///
/// Requires: one at a time; `loop` outlives it, and its Stop() may be called from a signal handler;
/// signals come to the thread that runs the loop (see SignalShield).
class InterruptionScope
{
  public:
    explicit InterruptionScope(EventLoop& loop);
    ~InterruptionScope();
    InterruptionScope(const InterruptionScope&) = delete;
    InterruptionScope& operator=(const InterruptionScope&) = delete;

    bool IsInterrupted() const;
};

/// While it lives, threads that are started do not receive SIGINT and SIGTERM.
class SignalShield
{
  public:
    SignalShield();
    ~SignalShield();
    SignalShield(const SignalShield&) = delete;
    SignalShield& operator=(const SignalShield&) = delete;
};

} // namespace nadi
