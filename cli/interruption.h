// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"

#include <signal.h>

namespace nadi
{

/// While it lives, the first SIGINT, SIGTERM or SIGHUP stops `loop` after its present event.
///
/// What comes within a second of the first, of whatever kind, is taken for the same wish: `timeout`
/// and batch systems signal a process and its group, so that it hears twice of one thing. One that
/// comes later ends the process at once, as signals do. Both hold on after the scope has ended, so
/// that a partial result can be written. Where no signal came, the scope's end gives the signals
/// back the actions that they had before.
///
/// A signal that is ignored when the scope begins stays ignored: `nohup` starts programs that
/// ignore SIGHUP, and a shell without job control starts `nadi run ... &` so that it ignores
/// SIGINT.
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

/// While it lives, threads that are started receive none of these signals.
class SignalShield
{
  public:
    SignalShield();
    ~SignalShield();
    SignalShield(const SignalShield&) = delete;
    SignalShield& operator=(const SignalShield&) = delete;

  private:
    sigset_t m_blockedBefore; // what others had blocked stays blocked
};

} // namespace nadi
