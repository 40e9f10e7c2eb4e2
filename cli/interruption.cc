// SPDX-License-Identifier: GPL-2.0-only
#include "cli/interruption.h"

#include "common/check.h"

#include <signal.h>

namespace nadi
{

namespace
{

// A signal handler can reach nothing but globals.
EventLoop* g_loop = nullptr;
volatile sig_atomic_t g_isInterrupted = 0;

void
OnSignal(int)
{
    g_isInterrupted = 1;
    g_loop->Stop(); // in force until the loop has returned
}

sigset_t
StopSignals()
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    return signals;
}

} // namespace

InterruptionScope::InterruptionScope(EventLoop& loop)
{
    NADI_CHECK(g_loop == nullptr);
    g_loop = &loop;
    g_isInterrupted = 0;
    struct sigaction action = {};
    action.sa_handler = &OnSignal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

InterruptionScope::~InterruptionScope()
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    g_loop = nullptr;
}

bool
InterruptionScope::IsInterrupted() const
{
    return g_isInterrupted != 0;
}

SignalShield::SignalShield()
{
    const sigset_t signals = StopSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

SignalShield::~SignalShield()
{
    const sigset_t signals = StopSignals();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

} // namespace nadi
