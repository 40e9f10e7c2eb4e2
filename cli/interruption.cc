// SPDX-License-Identifier: GPL-2.0-only
#include "cli/interruption.h"

#include "common/check.h"

#include <array>
#include <ctime>
#include <signal.h>

namespace nadi
{

namespace
{

constexpr std::array STOP_SIGNALS{SIGINT, SIGTERM, SIGHUP};
constexpr int64_t GRACE_NS = 1'000'000'000;

// A signal handler can reach nothing but globals.
EventLoop* volatile g_loop = nullptr;
volatile sig_atomic_t g_isInterrupted = 0;
int64_t g_firstSignalNs = 0; // handlers do not interrupt each other: they block all these signals

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
    raise(number); // delivered when the handler returns
}

void
OnSignal(int number)
{
    const int64_t now = ReadClockNs();
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
        g_loop->Stop(); // in force until the loop has returned
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
Catch(int number)
{
    struct sigaction before = {};
    sigaction(number, nullptr, &before);
    if (number == SIGHUP && before.sa_handler == SIG_IGN)
    {
        return;
    }
    struct sigaction action = {};
    action.sa_handler = &OnSignal;
    action.sa_mask = StopSignals();
    action.sa_flags = SA_RESTART; // files that are being written take no notice
    sigaction(number, &action, nullptr);
}

void
Release(int number)
{
    struct sigaction action = {};
    sigaction(number, nullptr, &action);
    if (action.sa_handler == &OnSignal)
    {
        signal(number, SIG_DFL);
    }
}

} // namespace

InterruptionScope::InterruptionScope(EventLoop& loop)
{
    NADI_CHECK(g_loop == nullptr);
    g_loop = &loop;
    g_isInterrupted = 0;
    for (const int number : STOP_SIGNALS)
    {
        Catch(number);
    }
}

InterruptionScope::~InterruptionScope()
{
    g_loop = nullptr;
    if (IsInterrupted())
    {
        return; // the echo of the first signal may be still to come
    }
    for (const int number : STOP_SIGNALS)
    {
        Release(number);
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
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

SignalShield::~SignalShield()
{
    const sigset_t signals = StopSignals();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

} // namespace nadi
