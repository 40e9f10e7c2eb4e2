// SPDX-License-Identifier: GPL-2.0-only
#include "cli/interruption.h"

#include "common/check.h"

#include <array>
#include <cstddef>
#include <ctime>
#include <signal.h>

namespace nadi
{

namespace
{

constexpr std::array STOP_SIGNALS{SIGINT, SIGTERM, SIGHUP};
constexpr int64_t GRACE_NS = 1'000'000'000;

// A signal handler gets nothing but the signal's number, so what it needs has to be global. It may
// interrupt the program between any two instructions: what both sides touch is volatile, and of a
// type that is written in one step.
EventLoop* volatile g_loop = nullptr;
volatile sig_atomic_t g_isInterrupted = 0;
// What the signals did before the scope, in the order of STOP_SIGNALS. No handler touches it.
std::array<struct sigaction, STOP_SIGNALS.size()> g_actionsBefore{};
// Only the handler touches it, and one handler does not interrupt another: while one runs, all
// these signals are blocked (see Catch).
int64_t g_firstSignalNs = 0;

int64_t
ReadClockNs()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now); // among what a handler may call
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void
EndAsSignalsDo(int number)
{
    signal(number, SIG_DFL);
    // The signal is blocked while its handler runs, so this takes effect when the handler returns.
    // The program then ends as one that never caught the signal, which its parent can tell from its
    // status.
    raise(number);
}

void
OnSignal(int number)
{
    const int64_t now = ReadClockNs();
    // A signal within the grace after the first one is taken for a copy of it. It takes neither
    // branch, and asks the loop once more to stop, which changes nothing.
    if (g_isInterrupted == 0)
    {
        g_isInterrupted = 1;
        g_firstSignalNs = now;
    }
    else if (now - g_firstSignalNs > GRACE_NS)
    {
        EndAsSignalsDo(number);
    }
    if (g_loop != nullptr)
    {
        // Stop only sets flags, which the loop looks at between events, so a handler may call it.
        // They stay set until the loop has returned: a signal that comes just before the loop runs
        // is not lost.
        g_loop->Stop();
    }
}

sigset_t
StopSignals()
{
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : STOP_SIGNALS)
    {
        sigaddset(&signals, number);
    }
    return signals;
}

void
Catch(int number, struct sigaction& before)
{
    sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_IGN)
    {
        return; // whoever started the program wants it to go on
    }
    struct sigaction action = {};
    action.sa_handler = &OnSignal;
    action.sa_mask = StopSignals();
    // A write that the signal interrupts goes on by itself instead of failing, so no file of
    // results is cut.
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, nullptr);
}

} // namespace

InterruptionScope::InterruptionScope(EventLoop& loop)
{
    NADI_CHECK(g_loop == nullptr);
    // Set before the handlers are in place, so that the first signal finds the loop.
    g_loop = &loop;
    g_isInterrupted = 0;
    for (size_t index = 0; index < STOP_SIGNALS.size(); ++index)
    {
        Catch(STOP_SIGNALS[index], g_actionsBefore[index]);
    }
}

InterruptionScope::~InterruptionScope()
{
    // From here on a signal finds no loop to stop, but still counts as an interruption.
    g_loop = nullptr;
    // The handlers stay in place: the second copy of the signal that stopped the run may still be
    // to come, and without a handler it would end the process before the partial result is written.
    if (IsInterrupted())
    {
        return;
    }
    for (size_t index = 0; index < STOP_SIGNALS.size(); ++index)
    {
        sigaction(STOP_SIGNALS[index], &g_actionsBefore[index], nullptr);
    }
}

bool
InterruptionScope::IsInterrupted() const
{
    return g_isInterrupted != 0;
}

SignalShield::SignalShield()
{
    const sigset_t signals = StopSignals();
    // Threads inherit the mask of the thread that starts them, and the system gives a signal to a
    // thread that does not block it.
    pthread_sigmask(SIG_BLOCK, &signals, &m_blockedBefore);
}

SignalShield::~SignalShield()
{
    pthread_sigmask(SIG_SETMASK, &m_blockedBefore, nullptr);
}

} // namespace nadi
